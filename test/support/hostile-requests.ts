import { coreLimits } from '../../contract/jmap/core.ts';

/** A JSON value as text, so that a request of an exact size is built without objects. */
type Json = string;

/** The argument of a method that takes the payload, and the other arguments that the method needs. */
type Target = { readonly method: string; readonly argument: string; readonly others: string };

const target = (method: string, argument: string, others = ''): Target => ({ method, argument, others });

/** Methods and arguments that accept lists or objects. */
export const targets = {
  'Email/query filter': target('Email/query', 'filter'),
  'Email/query filter, collapsed and sorted': target('Email/query', 'filter', ',"collapseThreads":true,"sort":[{"property":"size"},{"property":"sentAt"}]'),
  'SearchSnippet/get filter': target('SearchSnippet/get', 'filter', ',"emailIds":[]'),
  'SearchSnippet/get emailIds': target('SearchSnippet/get', 'emailIds', ',"filter":{"text":"a"}'),
  'Email/queryChanges filter': target('Email/queryChanges', 'filter', ',"sinceQueryState":"Email-1","collapseThreads":true'),
  'Mailbox/query filter': target('Mailbox/query', 'filter', ',"filterAsTree":true'),
  'Email/query sort': target('Email/query', 'sort'),
  'Mailbox/query sort': target('Mailbox/query', 'sort', ',"sortAsTree":true'),
  'Email/get ids': target('Email/get', 'ids', ',"properties":["subject"]'),
  'Email/get properties': target('Email/get', 'properties', ',"ids":null'),
  'Email/get bodyProperties': target('Email/get', 'bodyProperties', ',"ids":null,"properties":["bodyStructure","textBody","attachments"]'),
  'Thread/get ids': target('Thread/get', 'ids'),
  'Mailbox/get properties': target('Mailbox/get', 'properties', ',"ids":null'),
  'Mailbox/set create': target('Mailbox/set', 'create'),
  'Mailbox/set update': target('Mailbox/set', 'update'),
  'Mailbox/set destroy': target('Mailbox/set', 'destroy'),
  'Email/set update': target('Email/set', 'update'),
  'Email/set destroy': target('Email/set', 'destroy'),
  'PushSubscription/set create': target('PushSubscription/set', 'create'),
  'Core/echo': target('Core/echo', 'value'),
} satisfies { readonly [name: string]: Target };
export type TargetName = keyof typeof targets;

/** Ids of an Email and of Mailboxes in the account that receives the requests. */
type HostileAccount = { readonly emailId: string; readonly mailboxIds: readonly string[] };

/** As many elements as fit into `octets`, with commas between them. */
const fill = (octets: number, element: (index: number) => string): string => {
  const elements: string[] = [];
  for (let length = 0, index = 0; ; index += 1) {
    const next = element(index);
    length += Buffer.byteLength(next) + 1;
    if (length > octets) return elements.join(',');
    elements.push(next);
  }
};

const list =
  (element: (index: number) => string) =>
  (octets: number): Json =>
    `[${fill(octets, element)}]`;
const object =
  (member: (index: number) => string) =>
  (octets: number): Json =>
    `{${fill(octets, member)}}`;
const operator =
  (name: string, condition: (index: number) => string) =>
  (octets: number): Json =>
    `{"operator":"${name}","conditions":[${fill(octets, condition)}]}`;
const nested =
  (open: string, inner: string, close: string) =>
  (octets: number): Json => {
    const depth = Math.floor(octets / (open.length + close.length));
    return `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
  };

/** Valid keys (RFC 8291 §3), because validating them takes time. */
const subscriptionKeys = JSON.stringify({
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
});

/** Values whose content costs more CPU time than their size suggests. */
export const payloads = {
  'empty conditions': operator('OR', () => '{}'),
  'conditions that never match': operator('OR', (index) => `{"minSize":${9e8 + index}}`),
  'conditions on keywords': operator('AND', (index) => `{"notKeyword":"k${index}"}`),
  'conditions on a name': operator('NOT', (index) => `{"name":"n${index}"}`),
  'a long name': (octets) => `{"name":"${'ß'.repeat(octets / 2)}"}`,
  'a list in a condition': (octets) => `{"inMailboxOtherThan":${list((index) => `"m${index}"`)(octets)}}`,
  'nested operators': nested('{"operator":"NOT","conditions":[', '{}', ']}'),
  'wide nested operators': operator('AND', () => '{"operator":"OR","conditions":[{},{}]}'),
  comparators: list((index) => `{"property":"${['receivedAt', 'sentAt', 'size'][index % 3]}","isAscending":${index % 2 === 0}}`),
  'comparators by name': list(() => '{"property":"name"}'),
  ids: list((index) => `"M${index}"`),
  'equal ids': list(() => '"M"'),
  'header properties': list((index) => `"header:X-${index}:asAddresses:all"`),
  'header properties in every form': list((index) => `"header:${index.toString(2).padStart(20, '0').replaceAll('0', 'a').replaceAll('1', 'A')}:asText"`),
  'equal properties': list(() => '"subject"'),
  'body properties': list((index) => `"header:Content-Type${index}"`),
  'new mailboxes': object((index) => `"c${index}":{"name":"n${index}"}`),
  'a chain of new mailboxes': object((index) => `"c${index}":{"name":"n","parentId":"#c${index + 1}"}`),
  'many new subscriptions': object((index) => `"c${index}":{"deviceClientId":"d","url":"https://push.example.net/${index}","keys":${subscriptionKeys}}`),
  'renamed mailboxes in a chain': (octets, { mailboxIds }) =>
    object((index) => `"${mailboxIds[index % mailboxIds.length]}":{"name":"box${index + 1}"}`)(Math.min(octets, mailboxIds.length * 30)),
  'keywords by path': (octets, { emailId }) => `{"${emailId}":{${fill(octets, (index) => `"keywords/k${index}":true`)}}}`,
  keywords: (octets, { emailId }) => `{"${emailId}":{"keywords":{${fill(octets, (index) => `"k${index}":true`)}}}}`,
  'a long path': (octets, { emailId }) => `{"${emailId}":{"keywords${'/a'.repeat(octets / 2)}":true}}`,
  'a long path and a short one': (octets, { emailId }) => `{"${emailId}":{"keywords${'/a'.repeat(octets / 2)}":true,"size":1}}`,
  'an immutable value': (octets, { emailId }) => `{"${emailId}":{"from":${nested('[', '', ']')(octets)}}}`,
  'nested lists': nested('[', '', ']'),
  'nested objects': nested('{"a":', '1', '}'),
  'lists of lists': list(() => '[[]]'),
  'distinct names': object((index) => `"${index.toString(36)}a":0`),
  'distinct objects': list((index) => `{"${index.toString(36)}a":0}`),
  'sparse indexes': list((index) => `{"${index * 1000}":0}`),
  numbers: list(() => '0.1'),
  'a long string': (octets) => `"${'\\n'.repeat(octets / 2)}"`,
} satisfies { readonly [name: string]: (octets: number, account: HostileAccount) => Json };
export type PayloadName = keyof typeof payloads;

/** Paths of result references to the payload that a Core/echo carries. */
export const paths = {
  'the value': '/value',
  'its elements': '/value/*',
  wildcards: `/value${'/*'.repeat(200_000)}`,
  long: `/value${'/a'.repeat(200_000)}`,
} as const;
export type PathName = keyof typeof paths;

/**
 * A request within maxSizeRequest. `direct`: each call has a payload. `carried`: a Core/echo has one, and each of the
 * other calls refers to it `copies` times.
 */
export type HostileRequest = {
  readonly target: TargetName;
  readonly payload: PayloadName;
  readonly octets: number;
  readonly calls: number;
  readonly carried?: { readonly path: PathName; readonly copies: number };
};

const accountOf = (method: string): string => (/^(?:Core|PushSubscription)\//.test(method) ? '' : '"accountId":"acc_alice",');

export const hostileBody = ({ target: name, payload, octets, calls, carried }: HostileRequest, account: HostileAccount): string => {
  const { method, argument, others } = targets[name];
  const make: (octets: number, account: HostileAccount) => Json = payloads[payload];
  const available = Math.max(0, Math.min(octets, coreLimits.maxSizeRequest - 20_000));
  const call = (id: string, args: string) => `["${method}",{${accountOf(method)}${args}${others}},"${id}"]`;
  const end = `],"using":["urn:ietf:params:jmap:core","urn:ietf:params:jmap:mail"]}`;
  if (!carried) {
    const each = make(Math.floor(available / calls), account);
    return `{"methodCalls":[${Array.from({ length: calls }, (_, index) => call(`c${index}`, `"${argument}":${each}`)).join(',')}${end}`;
  }
  const path = paths[carried.path];
  const references = (copies: number) =>
    Array.from({ length: copies }, (_, index) => `"#${argument}${index || ''}":{"resultOf":"e","name":"Core/echo","path":"${path}"}`).join(',');
  const copies = Math.max(1, Math.min(carried.copies, Math.floor(available / 2 / calls / (path.length + 80))));
  const referring = Array.from({ length: calls - 1 }, (_, index) => call(`c${index}`, references(copies))).filter(
    (_, index) => (index + 1) * copies * (path.length + 80) < available,
  );
  const carrier = `["Core/echo",{"value":${make(Math.max(0, available - referring.join().length), account)}},"e"]`;
  return `{"methodCalls":[${[carrier, ...referring].join(',')}${end}`;
};
