import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { capability, unadvertisedLimits } from '../../contract/jmap/core.ts';
import { isOfType, type JsonObject } from '../../contract/jmap/data-type.ts';
import { email } from '../../contract/jmap/email.ts';
import { mailbox } from '../../contract/jmap/mailbox.ts';
import type { RecordType } from '../../contract/jmap/record.ts';
import { parseApiRequest, parseJsonBody, type Invocation } from '../../lambdas/jmap/request/api-request.ts';
import { decodeFilter, decodeSort } from '../../lambdas/jmap/request/filter-and-sort.ts';
import { MethodError, RequestProblem, SetError } from '../../lambdas/jmap/request/jmap-errors.ts';
import { applyPatch, newProperties } from '../../lambdas/jmap/request/patch-object.ts';
import { requestBudget } from '../../lambdas/jmap/request/request-context.ts';
import { resolveReferences } from '../../lambdas/jmap/request/result-references.ts';
import { mutatedAccount, type MutatedAccount } from '../support/mutated-account.ts';
import { mutatedFilter, mutatedNewRecord, mutatedPatch, mutatedRequests, mutatedSort } from '../support/mutated-requests.ts';
import { statedMethods } from '../support/stated-methods.ts';
import { asyncFuzzTarget, fuzzTarget, type FuzzTarget } from './fuzz-target.ts';
import { mutatedBytes } from './mutated-bytes.ts';

type ErrorClass = new (...args: never[]) => Error;

/** The result of `act`; undefined when it throws one of the expected errors. */
const orRefused = <Result>(errors: readonly ErrorClass[], act: () => Result): Result | undefined => {
  try {
    return act();
  } catch (error) {
    if (errors.some((each) => error instanceof each)) return undefined;
    throw error;
  }
};

const request = JSON.stringify({
  using: [capability.core, capability.mail],
  createdIds: { a: 'M1' },
  methodCalls: [
    ['Email/query', { accountId: 'a', filter: { text: 'é\ud83d\ude00' } }, 'c0'],
    ['Core/echo', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids/*' } }, 'c1'],
  ],
});
const json = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ':',
  ',',
  'null',
  'true',
  '1e999',
  '-0',
  '\\u0000',
  '\\ud800',
  '{"a":',
  '[[',
  '"using"',
  '"__proto__":{}',
  '\0',
  ' ',
];

const capabilities = new Set<string>([capability.core, capability.mail]);

/** Responses to which references refer, and paths into the responses. */
const response = fc.jsonValue({ maxDepth: 4 }).map((value) => ({
  value,
  list: [
    { id: 'M1', ids: ['a', 'b'] },
    { id: 'M2', ids: [] },
  ],
  ids: ['M1'],
  '': 0,
  'a/b': { '~': 1 },
}));
const path = fc.oneof(
  fc
    .array(fc.constantFrom('list', 'ids', 'id', '*', '0', '1', '01', '-1', '', 'a~1b', '~0', '~', '~2', 'value', '__proto__', 'length', 'constructor'), {
      maxLength: 20,
    })
    .map((tokens) => tokens.map((token) => `/${token}`).join('')),
  fc.string({ maxLength: 10 }),
);
const reference = fc.record(
  {
    resultOf: fc.constantFrom<unknown>('c0', 'c1', 1, null),
    name: fc.constantFrom<unknown>('A/get', 'B/get', 1),
    path: fc.oneof<fc.Arbitrary<unknown>[]>(path, fc.constant(1)),
  },
  { requiredKeys: [] },
);
const references = fc.tuple(
  response,
  fc.dictionary(
    fc.constantFrom('#ids', 'ids', '#a', '##', '#', 'b', '#__proto__'),
    fc.oneof<fc.Arbitrary<unknown>[]>(reference, fc.jsonValue({ maxDepth: 1 })),
  ),
);

const types: readonly RecordType[] = [email, mailbox];
const anyType = fc.constantFrom(...types);

const checkProperties = (type: RecordType, values: JsonObject | undefined): void => {
  for (const [name, value] of Object.entries(values ?? {})) {
    const property = type.properties[name];
    assert.ok(property && !property.serverSet, `${name} may be set`);
    assert.ok(value === undefined || value === null || isOfType(property.type, value), `${name} has its type`);
  }
};

let account: MutatedAccount | undefined;
let requestsToAccount = 0;
/** Number of requests to one account. */
const requestsPerAccount = 100;

/** Targets of the JMAP protocol. */
export const protocolTargets: readonly FuzzTarget[] = [
  fuzzTarget(
    'request',
    () => mutatedBytes([request], json),
    (body) => {
      const parsed = orRefused([RequestProblem], () => parseApiRequest(parseJsonBody('application/json', body), capabilities));
      for (const [name, args, id] of parsed?.methodCalls ?? []) {
        assert.deepEqual([typeof name, typeof args, typeof id], ['string', 'object', 'string']);
      }
    },
  ),
  fuzzTarget(
    'references',
    () => references,
    ([value, args]) => {
      const responses: Invocation[] = [
        ['A/get', value, 'c0'],
        ['error', { type: 'serverFail' }, 'c1'],
      ];
      const resolved = orRefused([MethodError], () => resolveReferences(args, responses, requestBudget()));
      for (const name of Object.keys(resolved ?? {})) {
        assert.ok(!Object.hasOwn(args, `#${name}`) || !Object.hasOwn(args, name), `${name} is given once`);
      }
    },
  ),
  fuzzTarget(
    'patch',
    () => anyType.chain((type) => fc.tuple(fc.constant(type), mutatedNewRecord(type), mutatedPatch(type))),
    ([type, record, patch]) => {
      const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isObject(record) || !isObject(patch)) return;
      const resolveId = (id: string) => (id === 'new0' ? 'M1' : undefined);
      const created = orRefused([SetError], () => newProperties(type, record, resolveId));
      checkProperties(type, created);
      const current = created ?? record;
      const before = JSON.stringify(current);
      checkProperties(
        type,
        orRefused([SetError], () => applyPatch(type, current, patch, resolveId)),
      );
      assert.equal(JSON.stringify(current), before);
    },
  ),
  fuzzTarget(
    'filter',
    () => anyType.chain((type) => fc.tuple(fc.constant(type), mutatedFilter(type), mutatedSort(type))),
    ([type, filter, sort]) => {
      if (typeof filter === 'object' && filter !== null) {
        orRefused([MethodError], () => decodeFilter(type, filter as JsonObject, requestBudget()));
      }
      if (isOfType({ list: 'Object' }, sort)) {
        const decoded = orRefused([MethodError], () => decodeSort(type, sort as JsonObject[])) ?? [];
        assert.ok(decoded.length <= unadvertisedLimits.maxSortKeys + 1);
      }
    },
  ),
  asyncFuzzTarget(
    'requests',
    async () => mutatedRequests(await statedMethods()),
    async (mistaken) => {
      if (requestsToAccount % requestsPerAccount === 0) account = undefined;
      account ??= await mutatedAccount();
      requestsToAccount += 1;
      const fault = await account.faultOf(mistaken);
      if (fault !== undefined) account = undefined;
      assert.equal(fault, undefined);
    },
  ),
];
