"""Sightings → runs, attempts and workers: one worker seen in many places becomes one worker with all its facts.

Owns the way from what readers saw to the picture of a job. It opens no file and judges nothing.
"""

from errors_core.joining.join import join_sightings
from errors_core.joining.strands import Strand

__all__ = ["Strand", "join_sightings"]
