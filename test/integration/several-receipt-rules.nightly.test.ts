import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../../contract/admin/accounts.ts';
import type { Alias } from '../../contract/admin/aliases.ts';
import { receiptRuleQuotas } from '../../contract/deployment/receipt-rule-set.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, type JmapClient } from './jmap-client.ts';
import { kill, processesOf } from './lambda-processes.ts';
import { primaryDomain } from './primary-domain.ts';
import { sendBySmtp } from './send-by-smtp.ts';
import { listenToNotifications } from './ses-notifications.ts';
import { withVisibilityTimeout } from './visibility-timeout.ts';

/**
 * Number of messages to send. With POSTRIDER_TEST_MESSAGES=500, two accounts are also full at first, and get room
 * later; mail for them then waits for a quarter of an hour.
 */
const wantedMessages = process.env['POSTRIDER_TEST_MESSAGES'];
const messageCount = Number(wantedMessages ?? 24);
const fullAccounts = wantedMessages === undefined ? 0 : 2;
/** Minutes after which mail for a full account is attempted again. */
const minutesOfWait = 18;

/** Number of addresses that need two receipt rules, with the other addresses of the deployment. */
const addressCount = receiptRuleQuotas.recipientsPerRule + 10;
const accountCount = 6;

/** Maximum recipients of one message that checks whether addresses are accepted. */
const recipientsAtOnce = 50;

/** Subjects of all Emails of an account. */
const subjectsOf = async (client: JmapClient, accountId: string): Promise<string[]> => {
  const subjects: string[] = [];
  for (;;) {
    const [query, get] = await client.call(
      ['Email/query', { accountId, position: subjects.length, limit: 250, calculateTotal: true }],
      ['Email/get', { accountId, '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['subject'] }],
    );
    subjects.push(...(get!['list'] as { subject: string }[]).map(({ subject }) => subject));
    if (subjects.length >= (query!['total'] as number) || (query!['ids'] as string[]).length === 0) return subjects;
  }
};

describeWith(
  'users',
  'smtp',
  'processes',
)('mail to recipients in several receipt rules', () => {
  const label = randomUUID().slice(0, 8);
  const accounts: Account[] = [];
  const recipients: { readonly email: string; readonly accountId: string }[] = [];
  let token: string;
  withVisibilityTimeout(30);

  beforeAll(async () => {
    token = await adminMachineToken();
    const domain = await primaryDomain(token);
    for (let index = 0; index < accountCount; index++) {
      const { account } = await ok<{ account: Account }>(token, 'accounts/CreateAccount', {
        user_id: sandboxUser('alice').userId,
        name: `Rules ${label} ${index}`,
        local_part: `rules-${label}-${index}`,
        domain_id: domain.id,
      });
      accounts.push(account);
    }
    const localParts = Array.from({ length: addressCount }, (_, index) => `rules-${label}-to-${index}`);
    recipients.push(
      ...(await mapConcurrently(
        localParts,
        async (localPart) => {
          const accountId = accounts[randomInt(accountCount)]!.account_id;
          const { alias } = await ok<{ alias: Alias }>(token, 'aliases/CreateAlias', { account_id: accountId, local_part: localPart, domain_id: domain.id });
          return { email: alias.email, accountId };
        },
        { atOnce: 4 },
      )),
    );
    // A message whose recipients are accepted at two times is two messages of SES: an account may get both.
    for (let first = 0; first < recipients.length; first += recipientsAtOnce) {
      await sendBySmtp(
        recipients.slice(first, first + recipientsAtOnce).map(({ email }) => email),
        { subject: 'Accepted', text: 'Hello' },
      );
    }
  });

  afterAll(async () => {
    for (const { account_id: accountId } of accounts) await ok(token, 'accounts/DeleteAccount', { account_id: accountId });
  });

  /** Kills the deliver Lambda, and publishes a notification once more. */
  const disturb = async (notifications: Awaited<ReturnType<typeof listenToNotifications>>, subject: string) => {
    await notifications.publish(await notifications.find(subject));
    await delay(randomInt(60));
    for (const pid of processesOf(deployed.outputs['deliverFunctionName']!)) kill(pid);
  };

  const testSubjects = async (client: JmapClient, accountId: string): Promise<string[]> =>
    (await subjectsOf(client, accountId)).filter((subject) => subject.startsWith(`Rules ${label}`));

  const isComplete = async (client: JmapClient, accountId: string, wanted: ReadonlySet<string>) => {
    const subjects = await testSubjects(client, accountId);
    expect(new Set(subjects)).toEqual(wanted);
    expect(subjects).toHaveLength(wanted.size);
  };

  test(
    'is delivered to each account once, with duplicates and killed Lambdas',
    async () => {
      const full = accounts.slice(0, fullAccounts);
      const limitFull = (maxEmails: number) =>
        mapConcurrently(full, ({ account_id: accountId }) => ok(token, 'accounts/UpdateAccount', { account_id: accountId, max_emails: maxEmails }));
      await limitFull(1);
      const wanted = new Map(accounts.map(({ account_id: accountId }) => [accountId, new Set<string>()]));
      const notifications = await listenToNotifications();
      try {
        for (let number = 0; number < messageCount; number++) {
          const subject = `Rules ${label} ${number}`;
          const to = [...new Set(Array.from({ length: 2 + randomInt(12) }, () => recipients[randomInt(recipients.length)]!))];
          for (const { accountId } of to) wanted.get(accountId)!.add(subject);
          await sendBySmtp(
            to.map(({ email }) => email),
            { subject, text: 'Hello' },
          );
          if (number % 8 === 7) await disturb(notifications, subject);
        }
        const client = await jmapClient(await accessTokenOf('alice'));
        const expectComplete = (of: readonly Account[]) =>
          mapConcurrently(of, ({ account_id: accountId }) => isComplete(client, accountId, wanted.get(accountId)!));
        await eventually(() => expectComplete(accounts.slice(fullAccounts)), 1000);
        for (const { account_id: accountId } of full) expect(await testSubjects(client, accountId)).toEqual([]);
        await limitFull(0);
        if (full.length > 0) await delay(minutesOfWait * 60_000);
        // A message that is delivered twice would come until then.
        await notifications.untilProcessed();
        await eventually(() => expectComplete(accounts), 1000);
      } finally {
        await notifications.close();
      }
    },
    wantedMessages === undefined ? 240_000 : 3_600_000,
  );
});
