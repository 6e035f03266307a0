"""The stateful tests run under one profile: ``CONFORM_PROFILE``, or ``--hypothesis-profile ci|dev|deep``."""

from hypothesis import settings

from conformance.machines.profiles import chosen_profile, register_profiles

register_profiles()
settings.load_profile(chosen_profile())
