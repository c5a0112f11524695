import type { Alias } from '../../../contract/admin/aliases.ts';
import { receiptRuleName } from '../../../contract/deployment/receipt-rule-set.ts';
import { newAddressWrite, newAliasWrites } from '../../../core/directory/aliases/aliases.ts';
import { emailIdOf, messageKey } from '../../../core/mail/email/blob-id.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { vacationResponseOf } from '../../../core/mail/vacation-response-type.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Write } from '../../../core/storage/table.ts';
import { vacationDependencies } from '../../../lambdas/deliver/vacation/send-vacation-response.ts';
import { updateReceiptRules } from '../../../lambdas/receipt-rules/update-receipt-rules.ts';
import { faultyObjects } from '../../fakes/faulty-objects.ts';
import { faultyTable, takeTurn, type Fault, type LambdaProcess } from '../../fakes/faulty-table.ts';
import { memoryReceiptRules } from '../../fakes/memory-receipt-rules.ts';
import { randomNumbers } from '../../histories/service/simulated-time.ts';
import { testSeed } from '../../support/test-seed.ts';
import { deliverDeployment, type DeliverDeployment } from './deliver-deployment.ts';

export type WorldOptions = {
  readonly messages: number;
  /** Number of receipt rules (of 3) that have a recipient of each message. */
  readonly rules: number;
  /** The order in which the notifications of a message are delivered, one after the other. Default: random, in batches. */
  readonly order?: readonly number[];
  /** Number of accounts that are full at first, and have room after three hours. */
  readonly fullAccounts: number;
  /** Whether SNS publishes some notifications twice. */
  readonly duplicates: boolean;
  /** Whether Lambdas crash, and responses of their calls are lost. */
  readonly kills: boolean;
};

/** A simulated message: its number, and the indexes of its recipients. */
type Message = { readonly number: number; readonly recipients: readonly number[] };

const [addresses, accounts] = [250, 12];
const hour = 3_600_000;
const began = Date.parse('2026-11-22T09:00:00Z');

const addressOf = (index: number): string => `person${index}@example.test`;
const accountOf = (index: number): string => `acc_${index % accounts}`;
const accountIds = [...Array.from({ length: accounts }, (_, index) => accountOf(index)), 'acc_archive'];
const [archive, responding] = ['archive@example.test', 'acc_5'];
const sesIdOf = (number: number): string => `ses-${number}`;
const senderOf = (number: number): string => `ann${number}@elsewhere.test`;

/** Whether the receipt rules have the address although the directory no longer has it. */
const isUnknown = (index: number): boolean => index % 25 === 7;
const hasCopyInside = (index: number): boolean => index % 25 === 3;
const outsideCopyOf = (index: number): string | undefined => (index % 25 === 11 ? `keep${index}@outside.test` : undefined);

const aliasOf = (email: string, accountId: string, more: Partial<Alias> = {}): Alias => ({
  alias_id: `alias_${email.split('@')[0]!}`,
  account_id: accountId,
  email,
  domain_id: 'dom_1',
  is_primary: true,
  is_active: true,
  is_visible: true,
  can_send_from: true,
  created_at: '2026-11-21T00:00:00Z',
  updated_at: '2026-11-21T00:00:00Z',
  ...more,
});

const prepare = async (mail: DeliverDeployment): Promise<void> => {
  const people = Array.from({ length: addresses }, (_, index) => index).filter((index) => !isUnknown(index));
  const aliases = [
    aliasOf(archive, 'acc_archive'),
    ...people.map((index) => aliasOf(addressOf(index), accountOf(index), { bcc: hasCopyInside(index) ? archive : outsideCopyOf(index) })),
  ];
  await mail.directoryTable.write([{ put: { pk: 'domain', sk: 'dom_1', id: 'dom_1', domain: 'example.test', send_enabled: true, state: 'ready' } }]);
  for (const alias of aliases) await mail.directoryTable.write([newAddressWrite(alias), ...newAliasWrites(alias)] as Write[]);
  for (const accountId of accountIds) await mail.mailStore.createAccount(accountId);
  await mail.mailStore.commit((await mail.mailStore.open(responding))!, (newest) => ({
    records: { VacationResponse: { put: [{ ...vacationResponseOf(newest), isEnabled: true, textBody: 'Away' }] } },
  }));
};

/**
 * The receipt rules for all addresses, as the Lambda creates them: the recipients of each rule, where SES ignores the case
 * of local parts. An address whose spellings are in two rules is then a recipient of both.
 */
const receiptRules = async (): Promise<readonly { readonly name: string; readonly recipients: ReadonlySet<string> }[]> => {
  const rules = memoryReceiptRules();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  await updateReceiptRules({
    directory: {
      domains: async () => [{ domain: 'example.test', addressCount: addresses, hasCatchAll: false }],
      activeAddresses: async () => Array.from({ length: addresses }, (_, index) => addressOf(index)),
    },
    rules,
    setting: 'addresses',
    nameOf: (number) => receiptRuleName('Postrider', number),
    log: log as never,
  });
  return [...rules.rules.values()].map(({ name, recipients }) => ({ name, recipients: new Set(recipients.map((each) => each.toLowerCase())) }));
};

const rawMessage = ({ number, recipients }: Message): string =>
  [
    `Message-ID: <m${number}@elsewhere.test>`,
    `From: ${senderOf(number)}`,
    `To: ${recipients.map(addressOf).join(', ')}`,
    `Subject: Message ${number}`,
    '',
    'Hello',
    '',
  ].join('\r\n');

/** The effects that the messages should have. Each may occur only once. */
const wantedOf = (messages: readonly Message[], notified: readonly { readonly key: string; readonly recipients: readonly string[] }[]) => {
  const each = (entries: (message: Message) => readonly string[]) => [...new Set(messages.flatMap(entries))].sort();
  const known = ({ recipients }: Message) => recipients.filter((index) => !isUnknown(index));
  const unknown = new Set(
    Array.from({ length: addresses }, (_, index) => index)
      .filter(isUnknown)
      .map(addressOf),
  );
  return {
    emails: each((message) =>
      known(message).flatMap((index) =>
        [accountOf(index), ...(hasCopyInside(index) ? ['acc_archive'] : [])].map((accountId) => `${accountId} ${message.number}`),
      ),
    ),
    bounced: each(({ number, recipients }) => recipients.filter(isUnknown).map((index) => `${number} ${addressOf(index)}`)),
    copies: each((message) =>
      known(message)
        .flatMap((index) => outsideCopyOf(index) ?? [])
        .map((to) => `${message.number} ${to}`),
    ),
    responses: each((message) => (known(message).some((index) => accountOf(index) === responding) ? [senderOf(message.number)] : [])),
    /** The objects that remain until they expire, because no account has a copy. */
    undeliverable: notified
      .filter(({ recipients }) => recipients.every((recipient) => unknown.has(recipient)))
      .map(({ key }) => key)
      .sort(),
  };
};

/** The effects that occurred, in the form of {@link wantedOf}. */
const foundIn = async (mail: DeliverDeployment, messages: readonly Message[]) => {
  const keys = new Set(mail.objects.keys());
  const emails: string[] = [];
  const used = new Set<string>();
  for (const accountId of accountIds) {
    const numbers = new Map(messages.map(({ number }) => [emailIdOf(messageKey(accountId, sesIdOf(number))), number]));
    for (const id of emailsOf(await mail.view(accountId)).ids()) {
      const copy = objectKeys.message(accountId, id.slice(1));
      used.add(copy);
      emails.push(`${accountId} ${numbers.get(id) ?? id}${keys.has(copy) ? '' : ' without its message'}`);
    }
  }
  const sent = await mail.sent();
  const isResponse = ({ to }: (typeof sent)[number]) => to.every((address) => address.endsWith('@elsewhere.test'));
  return {
    found: {
      emails: emails.sort(),
      bounced: mail.bounces.sent.flatMap(({ messageId, recipients }) => recipients.map((to) => `${messageId.slice(4)} ${to}`)).sort(),
      copies: sent
        .filter((each) => !isResponse(each))
        .map(({ to, raw }) => `${/^Subject: Message (\d+)\r$/m.exec(raw)![1]} ${to.join()}`)
        .sort(),
      responses: sent
        .filter(isResponse)
        .flatMap(({ to }) => to)
        .sort(),
    },
    left: {
      inbound: [...keys].filter((key) => key.startsWith('inbound/')).sort(),
      copiesWithoutEmail: [...keys].filter((key) => key.startsWith('messages/') && !used.has(key)),
    },
  };
};

/** A record of the queue, the time from which it is visible, and how often a Lambda has received it. */
type Waiting = { readonly body: string; readonly visibleAt: number; readonly receives: number };

/**
 * Maximum receives of a record before it becomes a dead letter. Crashes use up more attempts than a deployed queue
 * allows.
 */
const maxReceives = 15;

const faults: readonly Exclude<Fault, 'contended' | 'refused' | 'late'>[] = ['crash before', 'crash after', 'lost before', 'lost after'];

/** Sends messages through receipt rules to a deliver Lambda, and runs the Lambda until the queue is empty. */
export const settledWorld = async (options: Partial<WorldOptions>) => {
  const { messages: count = 1, rules: ruleCount = 3, order, fullAccounts = 0, duplicates = false, kills = false } = options;
  const random = randomNumbers(testSeed);
  const pick = (below: number): number => Math.floor(random() * below);
  const mail = await deliverDeployment();
  await prepare(mail);
  const full = accountIds.slice(0, fullAccounts);
  for (const accountId of full) await mail.mailStore.setQuota(accountId, { octets: 1 });

  const rules = (await receiptRules()).slice(0, ruleCount);
  const inRule = rules.map(({ recipients }) => Array.from({ length: addresses }, (_, index) => index).filter((index) => recipients.has(addressOf(index))));
  const messages = Array.from({ length: count }, (_, index): Message => ({
    number: index + 1,
    recipients: [
      ...new Set([
        ...inRule.flatMap((indexes) => Array.from({ length: 1 + pick(4) }, () => indexes[pick(indexes.length)]!)),
        // The recipients of two rules.
        ...inRule.flatMap((indexes, number) => indexes.filter((index) => inRule.some((others, other) => other > number && others.includes(index)))),
        // A message to a full account, which another rule brings to an account with room.
        ...full.map((_, each) => inRule[0]!.find((address) => accountOf(address) === accountIds[each])!),
      ]),
    ],
  }));

  let now = began;
  const queue: Waiting[] = [];
  const deadLetters: string[] = [];
  const notified: { readonly key: string; readonly recipients: readonly string[] }[] = [];
  for (const message of messages) {
    const parts = rules.map(({ name, recipients }) => ({ rule: name, recipients: message.recipients.map(addressOf).filter((to) => recipients.has(to)) }));
    for (const { rule, recipients } of order ? order.map((index) => parts[index]!) : parts) {
      if (recipients.length === 0) continue;
      notified.push({ key: objectKeys.inbound(rule, sesIdOf(message.number)), recipients });
      const body = await mail.arrive(sesIdOf(message.number), rawMessage(message), recipients, {
        rule,
        sender: senderOf(message.number),
        timestamp: new Date(began).toISOString(),
      });
      for (let times = duplicates && random() < 0.3 ? 2 : 1; times > 0; times--) queue.push({ body, visibleAt: now + pick(5) * 60_000, receives: 0 });
    }
  }

  /** Runs the Lambda. After a crash, all of its records return. */
  const invoke = async (bodies: readonly string[]): Promise<readonly string[]> => {
    const lambda: LambdaProcess = { hasCrashed: false };
    // SES cannot be asked whether it accepted a bounce: after a crash in between it is sent twice.
    const isFaulty = kills && bodies.every((body) => (JSON.parse(body) as { kind?: string }).kind !== 'bounce') && random() < 0.7;
    const fault = () => (isFaulty && random() < 0.08 ? faults[pick(faults.length)]! : 'none');
    const noTurns = async () => undefined;
    const table = faultyTable(mail.mailTable, noTurns, fault, lambda);
    const objects = faultyObjects(mail.objects, noTurns, fault, lambda);
    const clock = () => new Date(now);
    const send: DeliverDeployment['queue']['send'] = async (...given) => {
      await takeTurn(lambda, noTurns);
      await mail.queue.send(...given);
      if (fault() !== 'none') lambda.hasCrashed = true;
    };
    const failed = await mail.deliverAtOnce(bodies, {
      clock,
      objects,
      mailTable: table,
      queue: { send },
      mailStore: mailStore({ table, pause: noTurns }),
      vacation: vacationDependencies({
        directoryTable: mail.directoryTable,
        sendingTable: faultyTable(mail.sendingTable, noTurns, fault, lambda),
        objects,
        queue: mail.submitQueue,
        log: mail.log,
        clock,
      }),
    });
    return lambda.hasCrashed ? bodies : failed.map((index) => bodies[index]!);
  };

  let hasRoom = false;
  while (queue.length > 0) {
    const visible = queue.filter(({ visibleAt }) => visibleAt <= now);
    if (visible.length === 0) {
      now = Math.min(...queue.map(({ visibleAt }) => visibleAt));
      if (now - began > 48 * hour) break;
      if (hasRoom || now - began < 3 * hour) continue;
      hasRoom = true;
      for (const accountId of full) await mail.mailStore.setQuota(accountId, { octets: null });
      continue;
    }
    const taken = order ? [visible[0]!] : Array.from({ length: Math.min(visible.length, 1 + pick(10)) }, () => visible.splice(pick(visible.length), 1)[0]!);
    for (const each of taken) queue.splice(queue.indexOf(each), 1);
    const returned = await invoke(taken.map(({ body }) => body));
    for (const each of taken.filter(({ body }) => returned.includes(body))) {
      if (each.receives >= maxReceives) deadLetters.push(each.body);
      else queue.push({ ...each, visibleAt: now + 60_000, receives: each.receives + 1 });
    }
    queue.push(
      ...mail.queue.messages
        .splice(0)
        .map(({ message, delaySeconds }) => ({ body: JSON.stringify(message), visibleAt: now + delaySeconds * 1000, receives: 0 })),
    );
  }
  const { found, left } = await foundIn(mail, messages);
  return { wanted: wantedOf(messages, notified), found, left: { ...left, queue: queue.map(({ body }) => body), deadLetters } };
};
