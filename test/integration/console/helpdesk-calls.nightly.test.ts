import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Locator, Page } from 'playwright-core';
import { accountWords, aliasWords, deletedMailWords } from '../../../console/words/pages/accounts.ts';
import { activityWords } from '../../../console/words/pages/activity.ts';
import { overviewWords } from '../../../console/words/pages/monitoring.ts';
import { connectWords } from '../../../console/words/pages/operations.ts';
import { importWords, resetWords, temporaryPasswordWords, userWords } from '../../../console/words/pages/users.ts';
import { stateWords } from '../../../console/words/states.ts';
import { words } from '../../../console/words/words.ts';
import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import type { Domain } from '../../../contract/admin/domains.ts';
import type { ReceivedMessage } from '../../../contract/admin/received-mail.ts';
import type { User } from '../../../contract/admin/users.ts';
import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from '../access-tokens.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { eventually, httpRequest } from '../http-requests.ts';
import { identityIdOf, jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { sendMail } from '../send-by-smtp.ts';
import { callAdmin, consoleBrowser, open, settled, signInToConsole, uniqueName, violations } from './console-browser.ts';
import { addressesOfPerson, fillDirectory, nameOfPerson } from './full-directory.ts';

const size = { people: 5000, domains: 200 };
const browser = consoleBrowser();

/** A line of the table at the end: what was asked, and what it took until the answer was on the screen. */
type Taken = { readonly call: string; readonly clicks: number; readonly typed: number; readonly seconds: string };

/** A person at the console, whose clicks and typed texts are counted. Enter in the field that has the focus is not counted. */
const countedHands = (page: Page) => {
  const count = { clicks: 0, typed: 0 };
  const box = page.getByPlaceholder(words.search.placeholder).filter({ visible: true });
  const counted =
    <Rest extends readonly unknown[]>(kind: keyof typeof count, act: (...rest: Rest) => Promise<unknown>) =>
    async (...rest: Rest): Promise<void> => {
      count[kind] += 1;
      await act(...rest);
    };
  /** Chooses a link or a button. The header that sticks to the page may lie above it, so Enter stands for the click. */
  const click = counted('clicks', (target: Locator) => target.press('Enter'));
  /** Chooses what no header covers. */
  const choose = counted('clicks', (target: Locator) => target.click());
  const tick = counted('clicks', (target: Locator) => target.press('Space'));
  const type = counted('typed', (target: Locator, text: string) => target.fill(text));
  /** Types where the focus is. */
  const typeHere = counted('typed', (text: string) => page.keyboard.type(text));
  const find = counted('typed', async (text: string) => {
    await page.keyboard.press('/');
    await box.fill(text);
  });
  /** Finds the mail from and to an address or a domain, to which Enter in the search leads. */
  const findMail = async (address: string): Promise<void> => {
    await find(address);
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: activityWords.mail(address.replace(/^@/, '')) }).waitFor();
  };
  /** Finds an object of the directory, and opens its page. */
  const findObject = async (text: string, option: RegExp, title: string): Promise<void> => {
    await find(text);
    await choose(page.getByRole('option', { name: option }).first());
    await page.getByRole('heading', { level: 1, name: title }).first().waitFor();
  };
  return { count, click, choose, tick, type, typeHere, find, findMail, findObject };
};

describeWith(
  'users',
  'smtp',
  'emulator',
)('the calls of a helpdesk, in a deployment of 5,000 people, 10,000 addresses and 200 domains', () => {
  const [alice, bob] = [sandboxUser('alice'), sandboxUser('bob')];
  const domain = domainOf(bob.email);
  const sales = uniqueName('sales');
  const table: Taken[] = [];
  const figures: Record<string, string> = {};
  let page: Page;
  let mail: JmapClient;
  let domainId: string;
  let salesAccount: Account;

  /** Creates a person with an account at the domain of the deployment. */
  const person = async (name: string, fields: object = {}): Promise<{ readonly user: User; readonly account: Account }> => {
    const { user } = await callAdmin<{ user: User }>('users/CreateUser', { email: `${name}@elsewhere.example`, display_name: name, ...fields });
    const { account } = await callAdmin<{ account: Account }>('accounts/CreateAccount', { user_id: user.user_id, name, local_part: name, domain_id: domainId });
    return { user, account };
  };

  const timed = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await act();
    figures[what] = `${Math.round(performance.now() - start)} ms`;
  };

  beforeAll(async () => {
    const { domains } = await callAdmin<{ domains: Domain[] }>('domains/ListDomains', { query: domain });
    domainId = domains[0]!.id;
    const { domains: filled } = await callAdmin<{ domains: Domain[] }>('domains/ListDomains', { query: 'shop0.example' });
    if (filled.length === 0) await timed('filling the directory', () => fillDirectory(size));
    await callAdmin('users/UpdateUser', { user_id: alice.userId, is_admin: true, admin_role: 'HELPDESK' });
    mail = await accessTokenOf('bob').then(jmapClient);
    const created = await callAdmin<{ account: Account }>('accounts/CreateAccount', {
      user_id: bob.userId,
      name: sales,
      local_part: `box-${sales}`,
      domain_id: domainId,
    });
    salesAccount = created.account;
    await callAdmin('aliases/CreateAlias', { account_id: salesAccount.account_id, local_part: sales, domain_id: domainId });
    await callAdmin('accounts/PutAccountMember', { account_id: salesAccount.account_id, user_id: alice.userId, role: 'READ' });
    page = await browser.newPage({ reducedMotion: 'reduce' });
    await timed('sign-in', () => signInToConsole(page, 'alice'));
  }, 900_000);
  afterAll(async () => {
    await callAdmin('users/UpdateUser', { user_id: alice.userId, is_admin: false });
    await callAdmin('accounts/DeleteAccount', { account_id: salesAccount.account_id });
    const rows = table.map(({ call, clicks, typed, seconds }) => `${call.padEnd(45)} ${clicks} clicks, ${typed} typed, ${seconds} s`);
    process.stderr.write(`${[...rows, ...Object.entries(figures).map((figure) => figure.join(': '))].join('\n')}\n`);
  });

  const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true });
  const title = (name: string) => page.getByRole('heading', { level: 1, name }).first();
  const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const dialog = () => page.getByRole('dialog');
  const sentence = (...state: Parameters<typeof stateWords>): string => stateWords(...state)!.sentence!;

  /** Adds a member to the account whose page is open. */
  const addMember = async (name: string, { click, choose, typeHere }: Pick<ReturnType<typeof countedHands>, 'click' | 'choose' | 'typeHere'>) => {
    await click(button(accountWords.addMember));
    await choose(dialog().getByLabel(accountWords.columns.user));
    await typeHere(name);
    await choose(page.getByRole('option', { name }));
    await choose(dialog().getByLabel(accountWords.columns.role));
    await choose(page.getByRole('option').first());
    await click(button(words.form.submit, dialog()));
    await page.getByRole('row', { name }).waitFor();
  };

  /** Answers a call from the overview on, and expects no more clicks and typed texts than these. */
  const answer = async (call: string, most: readonly [clicks: number, typed: number], way: (hands: ReturnType<typeof countedHands>) => Promise<unknown>) => {
    await open(page, '/', words.pages.overview);
    await settled(page);
    const hands = countedHands(page);
    const start = performance.now();
    await way(hands);
    table.push({ call, ...hands.count, seconds: ((performance.now() - start) / 1000).toFixed(1) });
    expect([hands.count.clicks, hands.count.typed]).toEqual(most);
    await settled(page);
    expect(await violations(page)).toEqual([]);
  };

  /** Sends mail from Bob. @returns when SES has said what became of it. */
  const sentByBob = async (to: string, state: string): Promise<void> => {
    const [written] = await mail.call([
      'Email/set',
      {
        create: {
          e: {
            mailboxIds: { [await mailboxIdOf(mail, 'drafts')]: true },
            from: [{ email: bob.email }],
            to: [{ email: to }],
            subject: `To ${to}`,
            bodyValues: { 1: { value: 'Hello' } },
            textBody: [{ partId: '1' }],
          },
        },
      },
    ]);
    const { id } = (written!['created'] as { e: { id: string } }).e;
    await mail.call(['EmailSubmission/set', { create: { s: { identityId: await identityIdOf(mail, bob.email), emailId: id } } }]);
    await eventually(async () => {
      const { messages } = await callAdmin<{ messages: object[] }>('mail-feedback/ListSentMessages', { address: to });
      expect(messages).toMatchObject([{ recipients: [{ state }] }]);
    });
  };

  const receivedFrom = (from: string, outcome: string): Promise<void> =>
    eventually(async () => {
      const { messages } = await callAdmin<{ messages: ReceivedMessage[] }>('mail-feedback/ListReceivedMessages', { address: from });
      expect(messages).toMatchObject([{ recipients: [{ outcome }] }]);
    });

  test('mail to me did not arrive: it is in Junk, or the address is not active, which is repaired there', async () => {
    const from = `${uniqueName('shop')}@elsewhere.test`;
    await sendMail([bob.email], { from, subject: 'Your order', text: 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X' });
    await receivedFrom(from, 'JUNK');
    await answer('my mail did not arrive: in Junk', [0, 1], async ({ findMail }) => {
      await findMail(from);
      await shown(sentence('received', 'JUNK'));
    });
    const old = `old-${sales}@${domain}`;
    const alias = { account_id: salesAccount.account_id, local_part: `old-${sales}`, domain_id: domainId, is_active: false };
    const { alias: created } = await callAdmin<{ alias: Alias }>('aliases/CreateAlias', alias);
    expect(created.is_active).toBe(false);
    // The receipt rules of so many addresses have the domain alone, so the service bounces what SES has accepted.
    await sendMail([old], { from, subject: 'Offer' });
    await eventually(async () => {
      const { messages } = await callAdmin<{ messages: object[] }>('mail-feedback/ListReceivedMessages', { address: old });
      expect(messages).toMatchObject([{ recipients: [{ address: old, outcome: 'BOUNCED' }] }]);
    });
    await answer('my mail did not arrive: inactive alias', [0, 1], async ({ findMail }) => {
      await findMail(old);
      await shown(sentence('incoming', 'REFUSED_INACTIVE'));
      await shown(sentence('received', 'BOUNCED'));
      await settled(page);
      expect(await page.getByText(activityWords.sends).count()).toBe(0);
    });
    await answer('… and activate it', [5, 1], async ({ findMail, click, choose, tick }) => {
      await findMail(old);
      await click(page.getByRole('link', { name: sales, exact: true }));
      await title(sales).waitFor();
      await tick(page.getByRole('checkbox', { name: words.list.select(old) }));
      await click(
        page
          .getByRole('button', { name: new RegExp(`^${words.bulk.actions}`) })
          .filter({ visible: true })
          .first(),
      );
      await choose(page.getByRole('menuitem', { name: words.bulk.count(aliasWords.activate, 1) }));
      await click(button(words.bulk.count(aliasWords.activate, 1), dialog()));
      await dialog().getByText(words.bulk.result(1, 1)).first().waitFor();
    });
  });

  test('mine was not received there: it bounced, for this reason', async () => {
    const to = `bounce+${uniqueName('x')}@simulator.amazonses.com`;
    await sentByBob(to, 'BOUNCED');
    await answer('mine was not received there: bounced', [0, 1], async ({ findMail }) => {
      await findMail(to);
      await shown(sentence('delivery', 'BOUNCED'));
    });
    await answer('are we blocked by one provider', [0, 1], async ({ findMail }) => {
      await findMail('@simulator.amazonses.com');
      await page.getByRole('row').filter({ hasText: to }).getByText(stateWords('delivery', 'BOUNCED')!.label).first().waitFor();
    });
    const arrived = `success+${uniqueName('x')}@simulator.amazonses.com`;
    await sentByBob(arrived, 'DELIVERED');
    await answer('mine was not received there: it was', [0, 1], async ({ findMail }) => {
      await findMail(arrived);
      await shown(sentence('delivery', 'DELIVERED'));
    });
  });

  test('I deleted a folder: its mail comes back', async () => {
    const folder = uniqueName('Projects');
    const [box] = await mail.call(['Mailbox/set', { create: { b: { name: folder } } }]);
    const { id } = (box!['created'] as { b: { id: string } }).b;
    const email = (n: number) => ({ mailboxIds: { [id]: true }, subject: `${folder} ${n}` });
    await mail.call(['Email/set', { create: { one: email(1), two: email(2), three: email(3) } }]);
    await mail.call(['Mailbox/set', { destroy: [id], onDestroyRemoveEmails: true }]);
    await answer('I deleted a folder', [3, 1], async ({ findObject, click }) => {
      await findObject(bob.email, /^Bob/, 'Bob');
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await click(page.getByRole('button', { name: new RegExp(`^${deletedMailWords.restoreSince} ${folder}`) }).first());
      await click(button(deletedMailWords.restore, dialog()));
      await shown(deletedMailWords.restored(3));
      await shown(deletedMailWords.restoredText);
    });
    await eventually(async () => {
      const [found] = await mail.call(['Mailbox/get', { properties: ['name', 'totalEmails'] }]);
      expect(found!['list']).toContainEqual(expect.objectContaining({ name: expect.stringMatching(/Restored|Projects/), totalEmails: 3 }));
    });
  });

  test('I can’t sign in: the invitation has expired, and a password to tell is two clicks away', async () => {
    const name = uniqueName('late');
    const { user } = await person(name);
    const dynamodb = new DynamoDBClient(awsClientConfig(deployed));
    const { pk, sk } = directoryKeys.user(user.user_id);
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: deployed.outputs['directoryTableName'],
        Key: { pk: { S: pk }, sk: { S: sk } },
        UpdateExpression: 'SET temporary_password_at = :past',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':past': { S: '2026-01-01T00:00:00.000Z' } },
      }),
    );
    dynamodb.destroy();
    await answer('I can’t sign in', [3, 1], async ({ findObject, click }) => {
      await findObject(name, new RegExp(`^${name}`), name);
      await shown(sentence('user', 'INVITATION_EXPIRED'));
      await click(button(resetWords.action));
      await click(button(resetWords.action, dialog()));
      await button(temporaryPasswordWords.close).waitFor();
    });
    await button(temporaryPasswordWords.close).click();
  });

  test('who gets sales@, and one more who shall get it, chosen among 5,000', async () => {
    await answer('who gets sales@', [1, 1], async ({ findObject }) => {
      await findObject(`${sales}@${domain}`, new RegExp(`^${sales}@`), sales);
      for (const name of ['Alice', 'Bob']) await page.getByRole('row', { name }).getByRole('link', { name }).waitFor();
    });
    const other = nameOfPerson(size.people - 7);
    await answer('mail to a group: one more member', [7, 2], async ({ findObject, click, choose, typeHere }) => {
      await findObject(`${sales}@${domain}`, new RegExp(`^${sales}@`), sales);
      await addMember(other, { click, choose, typeHere });
    });
  });

  test('somebody left: they are out, and their mail is read by a colleague', async () => {
    const name = uniqueName('leaver');
    const { user, account } = await person(name);
    await answer('somebody left', [2, 2], async ({ findObject, click, type }) => {
      await findObject(name, new RegExp(`^${name}`), name);
      await click(button(userWords.deactivate));
      await type(dialog().getByRole('textbox'), name);
      await dialog().getByRole('textbox').press('Enter');
      await shown(userWords.deactivated(name));
      await shown(userWords.deactivatedText);
    });
    await answer('… and a colleague reads their mail', [7, 2], async ({ findObject, click, choose, typeHere }) => {
      await findObject(account.email, new RegExp(`^${name} <${account.email}`), name);
      await addMember(nameOfPerson(1234), { click, choose, typeHere });
    });
    expect(await callAdmin('users/GetUser', { user_id: user.user_id })).toMatchObject({ user: { is_active: false } });
    expect(await callAdmin('accounts/FindAddress', { address: account.email })).toMatchObject({ incoming: 'DELIVERED' });
  });

  test('somebody new is reachable by colleagues from the first minute', async () => {
    const name = uniqueName('newcomer');
    const email = `${name}@${domain}`;
    await answer('somebody new', [3, 2], async ({ click, type }) => {
      await click(page.getByRole('navigation').getByRole('link', { name: words.pages.users, exact: true }));
      await click(button(userWords.invite));
      await type(page.getByLabel('E-mail address'), `${name}@elsewhere.example`);
      await type(page.getByLabel('Name', { exact: false }).first(), name);
      await click(button(userWords.create));
      await title(connectWords.titleFor(name)).waitFor();
      await shown(email);
    });
    await sentByBob(email, 'DELIVERED');
    await receivedFrom(email, 'DELIVERED');
  });

  test('we move from Google: the page that imports people names the guide', () =>
    answer('we move from Google', [2, 0], async ({ click }) => {
      await click(page.getByRole('navigation').getByRole('link', { name: words.pages.users, exact: true }));
      await click(button(importWords.title));
      await shown('docs/moving-in.md');
    }));

  test('are we blocked: the overview says so, and whether AWS is about to stop the sending', async () => {
    const decide = (state: string) => httpRequest(`${deployed.sesApiUrl}/v2/email/account/enforcement/${state}`, { method: 'POST' });
    await answer('are we blocked: no', [0, 0], async () => {
      await shown(overviewWords.sending.on);
      await shown(overviewWords.sending.enforcement.HEALTHY);
    });
    try {
      await decide('PROBATION');
      await answer('are we blocked: under review', [0, 0], () => shown(overviewWords.issues.SES_ENFORCEMENT.text));
    } finally {
      await decide('HEALTHY');
    }
  });

  test('the search and the lists answer at once among 5,000', async () => {
    const hands = countedHands(page);
    const last = size.people - 1;
    for (const [what, typed] of Object.entries({ name: nameOfPerson(last), address: addressesOfPerson(last, size)[1], 'given name of 500': 'Ada' })) {
      await open(page, '/', words.pages.overview);
      await settled(page);
      await timed(`search: ${what}`, async () => {
        await hands.find(typed);
        await page.getByRole('option').nth(1).waitFor();
      });
      await settled(page);
      expect(await violations(page)).toEqual([]);
    }
    for (const name of ['users', 'accounts', 'aliases', 'domains'] as const) {
      await open(page, '/', words.pages.overview);
      await settled(page);
      await timed(`list: ${name}`, async () => {
        await hands.click(page.getByRole('navigation').getByRole('link', { name: words.pages[name], exact: true }));
        await page.getByRole('table').getByRole('row').nth(20).waitFor();
      });
      await settled(page);
      expect(await violations(page)).toEqual([]);
    }
  });
});
