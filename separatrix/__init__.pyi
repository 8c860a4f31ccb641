from separatrix import bounds as bounds
from separatrix import certificates as certificates
from separatrix import losses as losses
from separatrix import problems as problems
from separatrix.algorithms import stream as stream
from separatrix.algorithms.averaged import AveragedPerceptron as AveragedPerceptron
from separatrix.algorithms.batch import BatchPerceptron as BatchPerceptron
from separatrix.algorithms.margin_perceptron import MarginPerceptron as MarginPerceptron
from separatrix.algorithms.passive_aggressive import PassiveAggressive as PassiveAggressive
from separatrix.algorithms.perceptron import Perceptron as Perceptron
from separatrix.algorithms.pocket import PocketPerceptron as PocketPerceptron
from separatrix.algorithms.voted import VotedPerceptron as VotedPerceptron
from separatrix.halfspace import Halfspace as Halfspace
from separatrix.models import load as load
from separatrix.models import save as save
from separatrix.predictor import NothingProven as NothingProven
from separatrix.rows import DataError as DataError
from separatrix.rows import Rows as Rows
from separatrix.rows import as_rows as as_rows
from separatrix.rows import read as read

__version__: str
