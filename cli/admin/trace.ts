import type { AdminClient } from '../../contract/client.ts';
import { isIdOf } from '../../contract/values/ids.ts';
import { printable } from '../../contract/values/printable.ts';
import { searchTerm } from '../../contract/values/search-term.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { addressKindWords, deliveryWords, incomingWords, outgoingWords, receivedWords } from '../../contract/words/mail-words.ts';
import type { StateWords } from '../../contract/words/state-words.ts';
import { findDeployment } from '../sign-in/known-deployment.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { usageError } from '../terminal/cli-error.ts';
import { parseOptions } from '../terminal/parse.ts';
import { printableJson } from '../terminal/response-table.ts';
import { adminClient } from './admin-client.ts';
import { columns } from './help.ts';

export const traceHelp = `Says what became of messages, received and sent, newest first.

  postrider-admin trace ADDRESS       what the address is, and the messages from and to it
  postrider-admin trace @DOMAIN       the messages from and to the domain
  postrider-admin trace MESSAGE-ID    the messages with this Message-ID, also with SES's
  postrider-admin trace ID            the message with the id of a line

${columns([
  ['--since TIME', 'only messages since a time, such as 2026-11-28 or 2026-11-28T09:00:00Z'],
  ['--until TIME', 'only messages before a time'],
  ['--limit NUMBER', 'how many messages; 20 without it'],
  ['--json', 'print JSON'],
  ['--outputs FILE', "the deployment: a file with the stack's outputs"],
])}

Messages are on record for 90 days. Mail that SES refuses during SMTP is on no record: what is said of the address tells
why mail for it is refused.`;

const options = {
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  outputs: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Received = Awaited<ReturnType<AdminClient['mail-feedback']['ListReceivedMessages']>>['messages'][number];
type Sent = Awaited<ReturnType<AdminClient['mail-feedback']['ListSentMessages']>>['messages'][number];
type Traced = { readonly received: Received } | { readonly sent: Sent };

/** A search by the fields of both lists. Times are RFC 3339 in UTC. */
type Wanted = { readonly address: string } | { readonly domain: string } | { readonly message_id: string };
type Times = { readonly since?: string | undefined; readonly until?: string | undefined };

const timeOf = (traced: Traced): string => ('sent' in traced ? traced.sent.send_at : traced.received.received_at);

/** The messages of all pages of a list. A page may be empty although there is a next one. */
async function* messagesOf<Message>(
  list: (page_token?: string) => Promise<{ readonly messages: readonly Message[]; readonly next_page_token: string }>,
): AsyncGenerator<Message, undefined> {
  for (let token: string | undefined; token !== '';) {
    const page = await list(token);
    yield* page.messages;
    token = page.next_page_token;
  }
}

/** The newest messages of both directions. */
const newest = async (client: AdminClient, wanted: Wanted, times: Times, limit: number): Promise<readonly Traced[]> => {
  const request = { ...wanted, ...times, page_size: Math.min(50, limit) };
  const service = client['mail-feedback'];
  const received = messagesOf((page_token) => service.ListReceivedMessages({ ...request, ...(page_token && { page_token }) }));
  const sent = messagesOf((page_token) => service.ListSentMessages({ ...request, ...(page_token && { page_token }) }));
  const [heads, found] = [await Promise.all([received.next(), sent.next()]), [] as Traced[]];
  while (found.length < limit) {
    const [in_, out] = [heads[0].value && { received: heads[0].value }, heads[1].value && { sent: heads[1].value }];
    const next = in_ && out ? [in_, out].toSorted((one, other) => (timeOf(one) > timeOf(other) ? -1 : 1))[0] : (in_ ?? out);
    if (!next) return found;
    found.push(next);
    if ('sent' in next) heads[1] = await sent.next();
    else heads[0] = await received.next();
  }
  return found;
};

/** The message with the id of a record. Empty when the text is none. */
const withId = async (client: AdminClient, id: string): Promise<readonly Traced[]> => {
  const service = client['mail-feedback'];
  if (isIdOf('received', id)) return [{ received: (await service.GetReceivedMessage({ received_id: id })).message }];
  return (await service.ListSentMessages({ submission_id: id })).messages.map((sent) => ({ sent }));
};

const shortTime = (at: string): string => `${at.slice(0, 19).replace('T', ' ')}Z`;

/** The meaning of a state, and the next step. */
const explanation = ({ sentence, nextStep }: StateWords): string => [sentence, nextStep].filter((each) => each !== undefined).join(' ');

/** A state in words, with its explanation when there is something to do. */
const stateText = (words: StateWords): string => (words.look === 'success' ? words.label : `${words.label}. ${explanation(words)}`);

const receivedLines = ({ recipients }: Received): string[] =>
  recipients.flatMap((recipient) => {
    const {
      address,
      outcome,
      account_id: account,
      group,
      forwarded_by: forwarder,
      reason,
      smtp_reply: reply,
      copy_of: alias,
      waits_since: since,
      next_attempt: next,
      email,
    } = recipient;
    const facts = [
      account && `account ${account}`,
      group && group !== address && `by the group ${group}`,
      forwarder && `forwarded by ${forwarder}`,
      alias && `copy for ${alias}`,
      reason && `reason: ${reason}`,
      reply && `answer: ${reply}`,
      since && `waits since ${shortTime(since)}`,
      next && `next attempt ${shortTime(next)}`,
      email &&
        (email.destroyed_at
          ? `destroyed ${shortTime(email.destroyed_at)}${email.destroyed_by ? ` by ${email.destroyed_by}` : ''}${email.restorable ? ', can be restored' : ''}`
          : `now in ${email.mailboxes.join(', ')}`),
    ].filter(Boolean);
    return [`    to ${address}: ${stateText(receivedWords[outcome])}`, ...facts.map((fact) => `       ${fact}`)];
  });

const sentLines = ({ recipients }: Sent, hasEvents: boolean): string[] =>
  recipients.flatMap(({ address, state, events }) => [
    `    to ${address}: ${stateText(deliveryWords[state])}`,
    ...(hasEvents ? events : events.filter(({ smtp_reply: reply }) => reply !== undefined).slice(-1)).map(
      ({ type, timestamp, smtp_reply: reply }) =>
        `       ${shortTime(timestamp)} ${type === 'ACCEPTED' ? 'Accepted' : deliveryWords[type].label}${reply === undefined ? '' : `: ${reply}`}`,
    ),
  ]);

const messageText = (traced: Traced, hasEvents: boolean): string => {
  const [direction, id, { subject, sender, message_id: messageId }] =
    'sent' in traced ? (['sent', traced.sent.submission_id, traced.sent] as const) : (['received', traced.received.received_id, traced.received] as const);
  const from = 'received' in traced && traced.received.from !== undefined ? traced.received.from : sender || 'nobody';
  return [
    `${shortTime(timeOf(traced))}  ${direction}  ${subject ?? ''}`.trimEnd(),
    `    from ${from}`,
    ...('sent' in traced ? sentLines(traced.sent, hasEvents) : receivedLines(traced.received)),
    ...(messageId === undefined ? [] : [`    Message-ID ${messageId}`]),
    `    id ${id}`,
  ]
    .map(printable)
    .join('\n');
};

type FoundAddress = Awaited<ReturnType<AdminClient['accounts']['FindAddress']>>;

/** The kind of an address with its account or group, and with the alias that receives its mail if that is another address. */
const kindText = ({ address, kind, account, account_id: id, alias, group }: FoundAddress): string =>
  [
    `${address}: ${addressKindWords[kind]}`,
    ...(account ? [`${account.name} (${account.account_id})`] : id === undefined ? [] : [id]),
    ...(group ? [`${group.name} (${group.group_id})`] : []),
    ...(alias && alias.email !== address ? [`as a detail of ${alias.email}`] : []),
  ].join(', ');

/** Maximum receivers of a group that are named. */
const namedReceivers = 20;

/** The accounts that get the mail of a group, or of an address that nobody has. */
const receiversText = ({ receivers, role_account: account }: FoundAddress): string[] => {
  const names = (account ? [account] : receivers).map(({ name, email }) => (name === undefined || name === email ? email : `${name} <${email}>`));
  const more = names.length > namedReceivers ? [`and ${names.length - namedReceivers} more`] : [];
  return names.length === 0 ? [] : [`It goes to ${[...names.slice(0, namedReceivers), ...more].join(', ')}.`];
};

/** The kind of an address, and the present fate of mail for it and from it. */
const addressText = (found: FoundAddress): string => {
  const fates = [incomingWords[found.incoming], outgoingWords[found.outgoing]];
  return [
    `${kindText(found)}.`,
    ...receiversText(found),
    ...(found.kind === 'OUTSIDE' ? [] : fates.map(explanation)),
    ...(found.inactive_since === undefined ? [] : [`It is not active since ${shortTime(found.inactive_since)}.`]),
    ...found.withheld.map(
      ({ message_class: messageClass, reason, since }) =>
        `${messageClass} mail is not sent to it${since === undefined ? '' : ` since ${shortTime(since)}`}: ${reason}`,
    ),
  ]
    .map(printable)
    .join('\n');
};

/** A time as RFC 3339 in UTC. @throws CliError for a text that is no time. */
const timeFrom = (name: string, text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw usageError(`--${name} takes a time such as 2026-11-28 or 2026-11-28T09:00:00Z`);
  return new Date(time).toISOString();
};

const limitFrom = (text: string | undefined): number => {
  const limit = Number(text ?? 20);
  if (!Number.isInteger(limit) || limit < 1) throw usageError('--limit takes a number from 1 on');
  return limit;
};

type Found = { readonly address?: FoundAddress; readonly messages: readonly Traced[] };

const find = async (client: AdminClient, typed: string, times: Times, limit: number): Promise<Found> => {
  const term = searchTerm(typed);
  if (term.kind === 'none') throw usageError(traceHelp);
  if (term.kind === 'id') {
    const messages = await withId(client, term.id);
    return { messages: messages.length > 0 ? messages : await newest(client, { message_id: term.id }, times, limit) };
  }
  if (term.kind === 'domain') return { messages: await newest(client, { domain: term.domain }, times, limit) };
  if (term.kind === 'messageId') return { messages: await newest(client, { message_id: term.id }, times, limit) };
  const [address, messages] = await Promise.all([
    client.accounts.FindAddress({ address: term.address }),
    newest(client, { address: term.address }, times, limit),
  ]);
  if (messages.length > 0) return { address, messages };
  // A Message-ID without brackets looks like an address.
  const withMessageId = await newest(client, { message_id: typed.trim() }, times, limit);
  return withMessageId.length > 0 ? { messages: withMessageId } : { address, messages };
};

/** The end of the list, with the command for older messages. */
const endText = (messages: readonly Traced[], typed: string, limit: number): string => {
  if (messages.length === 0) return 'No message is on record.';
  if (messages.length < limit) return '';
  return `There may be more: postrider-admin trace ${shellWord(typed)} --until ${timeOf(messages.at(-1)!)}`;
};

/** Runs `postrider-admin trace`. */
export const trace = async (args: readonly string[], context: CliContext): Promise<void> => {
  const {
    values,
    positionals: [typed, ...others],
  } = parseOptions(args, options, Infinity);
  if (values.help) return context.print(traceHelp);
  if (typed === undefined || others.length > 0) throw usageError(traceHelp);
  const limit = limitFrom(values.limit);
  const times = { since: timeFrom('since', values.since), until: timeFrom('until', values.until) };
  const client = adminClient(context, await findDeployment(context.environment, values.outputs));
  const { address, messages } = await find(client, typed, times, limit);
  if (values.json) return context.print(printableJson({ ...(address && { address }), messages }));
  const hasEvents = messages.length <= 3;
  const parts = [address && addressText(address), ...messages.map((each) => messageText(each, hasEvents)), endText(messages, typed, limit)];
  context.print(parts.filter(Boolean).join('\n\n'));
};
