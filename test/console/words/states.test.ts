import { stateWords, type StateKind } from '../../../console/words/states.ts';
import { enumDescriptions } from '../../../contract/reference/description.ts';

/** The enumerations of the contract whose values the console shows as states. */
const shown: readonly (readonly [StateKind, string])[] = [
  ['domainVerification', 'VerificationStatus'],
  ['changeRequest', 'ChangeRequestStatus'],
  ['feedback', 'FeedbackType'],
  ['setupTest', 'TestMailStatus'],
  ['delivery', 'DeliveryState'],
  ['accountRemoval', 'RemovalStep'],
];

describe('the words for states', () => {
  test.each(shown)('of the kind %s cover every value of %s', (kind, name) => {
    const { values } = enumDescriptions().find((description) => description.name === name)!;
    expect(values.filter((value) => stateWords(kind, value) === undefined)).toEqual([]);
    expect(values.length).toBeGreaterThan(1);
  });

  test('are none for a state that the console does not know', () => {
    expect(stateWords('feedback', 'UNHEARD_OF')).toBeUndefined();
  });
});
