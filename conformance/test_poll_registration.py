"""The service keeps to ``spec/Matching.tla``, whatever callers, clock and store do."""

from hypothesis.stateful import RuleBasedStateMachine

from conformance.machines.polls import PollRegistrationMachine

MACHINE: type[RuleBasedStateMachine] = PollRegistrationMachine
TestPollRegistration = MACHINE.TestCase
