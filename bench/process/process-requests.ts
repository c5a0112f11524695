import { brotliDecompressSync } from 'node:zlib';
import { capability } from '../../contract/jmap/core.ts';
import { accountId, openingRequest, pageRequest, type Call } from '../fixtures/alice.ts';
import type { LambdaProcess } from './lambda-process.ts';

type Answer = readonly [name: string, args: Record<string, unknown>, id: string];

/** The ids that requests refer to. */
export type RequestSubjects = {
  readonly inbox: string;
  readonly emailIds: readonly string[];
  /** The state of Email before the newest commit. */
  readonly previousState: string;
};

/** A measured kind of request. `calls` returns its method calls, for the n-th request of the kind. */
export type RequestKind = {
  readonly title: string;
  /** The budgets in units of the fixed work: in a warm process, and for its first requests. */
  readonly atMost: { readonly warm: number; readonly first: number };
  readonly calls: (subjects: RequestSubjects, number: number) => readonly Call[];
};

/** Properties that a client reads to show a message. */
const shownProperties = [
  'threadId',
  'mailboxIds',
  'keywords',
  'from',
  'to',
  'cc',
  'bcc',
  'replyTo',
  'subject',
  'sentAt',
  'receivedAt',
  'messageId',
  'inReplyTo',
  'references',
  'size',
  'hasAttachment',
  'textBody',
  'htmlBody',
  'attachments',
  'bodyValues',
];

export const requestKinds: readonly RequestKind[] = [
  { title: 'Core/echo', atMost: { warm: 0.72, first: 1.63 }, calls: () => [['Core/echo', { hello: true }, 'a']] },
  { title: 'Mailbox/get, all', atMost: { warm: 0.86, first: 1.74 }, calls: () => [['Mailbox/get', { accountId, ids: null }, 'a']] },
  {
    title: 'Email/changes, of one commit',
    atMost: { warm: 0.98, first: 1.74 },
    calls: ({ previousState }) => [['Email/changes', { accountId, sinceState: previousState }, 'a']],
  },
  {
    title: 'Email/queryChanges, of one commit',
    atMost: { warm: 1.0, first: 1.9 },
    calls: ({ inbox, previousState }) => [
      [
        'Email/queryChanges',
        { accountId, filter: { inMailbox: inbox }, sort: [{ property: 'receivedAt', isAscending: false }], sinceQueryState: previousState },
        'a',
      ],
    ],
  },
  { title: 'list: Email/query 50 + Email/get', atMost: { warm: 1.8, first: 3.55 }, calls: ({ inbox }) => pageRequest(inbox) },
  {
    title: 'list: another page each time',
    atMost: { warm: 1.8, first: 3.55 },
    calls: (_subjects, number) => [
      ['Email/query', { accountId, sort: [{ property: 'receivedAt', isAscending: false }], position: (number * 50) % 10_000, limit: 50 }, 'query'],
      pageRequest('')[1]!,
    ],
  },
  {
    title: 'opening request of five calls',
    atMost: { warm: 2.67, first: 5.2 },
    calls: ({ inbox }) => [['Mailbox/get', { accountId, ids: null }, 'mailboxes'], ...openingRequest(inbox)],
  },
  {
    title: 'set a flag',
    atMost: { warm: 1.41, first: 2.68 },
    calls: ({ emailIds }, number) => [
      [
        'Email/set',
        { accountId, update: { [emailIds[number % emailIds.length]!]: { 'keywords/$forwarded': Math.floor(number / emailIds.length) % 2 === 0 || null } } },
        'a',
      ],
    ],
  },
  {
    title: 'one message with body',
    atMost: { warm: 1.75, first: 2.1 },
    calls: ({ emailIds }, number) => [
      [
        'Email/get',
        { accountId, ids: [emailIds[number % emailIds.length]!], properties: shownProperties, fetchTextBodyValues: true, fetchHTMLBodyValues: true },
        'a',
      ],
    ],
  },
];

/** The HTTP event of a request, with the headers that API Gateway passes on for a browser. */
export const httpEvent = (accessToken: string, methodCalls: readonly Call[]): object => ({
  version: '2.0',
  routeKey: 'POST /jmap',
  rawPath: '/jmap',
  rawQueryString: '',
  headers: {
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    authorization: `Bearer ${accessToken}`,
    'content-type': 'application/json',
    host: 'jmap.example.test',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'x-amzn-trace-id': 'Root=1-6921f3a5-1c6f0d3c5b3a4e1f2a7b8c9d',
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  },
  requestContext: {
    accountId: '000000000000',
    apiId: 'a1b2c3d4e5',
    domainName: 'jmap.example.test',
    domainPrefix: 'jmap',
    routeKey: 'POST /jmap',
    stage: '$default',
    http: { method: 'POST', path: '/jmap', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'Mozilla/5.0' },
    requestId: 'UkXrbgPvIAMEMcg=',
    time: '22/Nov/2026:08:38:00 +0000',
    timeEpoch: 1_795_336_680_000,
  },
  body: JSON.stringify({ using: [capability.core, capability.mail], methodCalls }),
  isBase64Encoded: false,
});

/** Sends a request. @returns the arguments of the first response. @throws Error when a call fails. */
export const performRequest = async <Arguments extends object = Record<string, unknown>>(lambda: LambdaProcess, event: object): Promise<Arguments> => {
  const { response } = await lambda.invoke(event);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the Lambda that is measured answers with an HTTP response
  const { statusCode, body: sent, isBase64Encoded } = response as { readonly statusCode: number; readonly body: string; readonly isBase64Encoded?: boolean };
  // Longer responses are compressed.
  const body = isBase64Encoded ? brotliDecompressSync(Buffer.from(sent, 'base64')).toString() : sent;
  const { methodResponses = [] }: { readonly methodResponses?: readonly Answer[] } = JSON.parse(body);
  const failed = methodResponses.find(([name, args]) => name === 'error' || (args['notUpdated'] ?? null) !== null);
  if (statusCode !== 200 || failed || methodResponses.length === 0) throw new Error(`${statusCode}: ${body.slice(0, 1000)}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers state the types of the responses
  return methodResponses[0]![1] as Arguments;
};
