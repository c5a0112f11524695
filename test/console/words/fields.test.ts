import { requestFields } from '../../../console/parts/forms/form-fields.ts';
import { fieldWords } from '../../../console/words/fields.ts';
import { services } from '../../../contract/admin/index.ts';
import { requestProblems } from '../../../contract/rpc/decode.ts';
import type { Method } from '../../../contract/rpc/rpc.ts';

describe('the words for a field', () => {
  test.each([
    [
      "must be 1 to 64 letters, digits or !#$%&'*+/=?^_`{|}~- with single dots between",
      'must have 1 to 64 letters and digits, or signs such as - and +, with single dots between them',
    ],
    ['must be an RFC 3339 timestamp such as 2026-11-21T08:38:00Z', 'must be a date and a time'],
    ['must be a domain name of two labels or more, such as example.com', 'must have a dot, such as example.com'],
    ["must not be at the domain invalid, which is nobody's (RFC 6761 §6.4); give a name", "must not be at the domain invalid, which is nobody's; give a name"],
    ['must be one of READ, WRITE', `must be one of ${fieldWords.values['READ']}, ${fieldWords.values['WRITE']}`],
    ['is required with FORCE_VALUE', `is required with ${fieldWords.values['FORCE_VALUE']}`],
    ['must be 0 to 9007199254740991', 'must be 0 or more'],
    ['must be 1 to 1000000000', 'must be 1 to 1,000,000,000'],
    ['must be at most 100 characters', 'must be at most 100 characters'],
  ])('a requirement: %s', (text, inWords) => {
    expect(fieldWords.requirementOf(text)).toBe(inWords);
  });

  test.each([
    ['spf_value must begin with v=spf1', 'SPF value must begin with v=spf1'],
    ['ses_sending_limit.use_case is required', 'What you send and to whom is required'],
    ['give one of to_email, or local_part.', 'give one of To, or Address before the @.'],
    ['display_name@example.com, display_name.txt and user_1 remain', 'display_name@example.com, display_name.txt and user_1 remain'],
  ])('a message of the API: %s', (message, inWords) => {
    expect(fieldWords.withLabels(message)).toBe(inWords);
  });

  const methods = Object.entries(services).flatMap(([service, { methods: all }]) =>
    Object.entries<Method>(all).map(([name, method]) => [service, name, method] as const),
  );
  test.each(['', 'x y', {}, -1])('no requirement of any field contains a pattern, a type or the name of a field, for the value %j', (value) => {
    const requirements = methods.flatMap(([service, name, method]) => {
      const request = Object.fromEntries(requestFields(service, name).map(({ path }) => [path, value]));
      return requestProblems(method, request).map(({ requirement }) => fieldWords.requirementOf(requirement));
    });
    expect(requirements).not.toEqual([]);
    expect(requirements.filter((text) => /[\\^{}]|RFC|\b(?:string|object|null)\b|[a-z]_[a-z]/.test(text))).toEqual([]);
  });
});
