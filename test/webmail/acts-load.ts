import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ReportLine } from '../../bench/report-table.ts';
import { capability } from '../../contract/jmap/core.ts';
import { signInUser } from '../../sandbox/deployment/welcome-mail.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { countRequests, line, longestTask, press, timeUntil } from './bench-page.ts';
import { personWithMail, type Person } from './large-mailbox.ts';

export type ActsDependencies = {
  readonly sandbox: SandboxDescription;
  /** Opens a page of the web mail, signed in, with `watch`. */
  readonly open: (who: Person, path?: string) => Promise<Page>;
};

type Result = { readonly ids?: readonly string[]; readonly list?: readonly { readonly id: string; readonly role: string | null }[] };
type Account = {
  readonly mailboxes: Readonly<Record<string, string>>;
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<Result>;
};

/** A word that no generated message has, and the number of messages that have it. */
const [word, messagesWithWord] = ['zanzibar', 60];

const all = 10_000;
const deletes = 50;

/** The account of a person, over JMAP. */
export const accountOf = async (sandbox: SandboxDescription, who: Person): Promise<Account> => {
  const token = await signInUser({ ...sandbox.users[0]!, ...who }, sandbox);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const session = (await (await fetch(`${sandbox.jmapUrl}/.well-known/jmap`, { headers })).json()) as {
    readonly apiUrl: string;
    readonly primaryAccounts: Readonly<Record<string, string>>;
  };
  const accountId = session.primaryAccounts[capability.mail];
  const call: Account['call'] = async (name, args) => {
    const body = JSON.stringify({ using: [capability.core, capability.mail], methodCalls: [[name, { accountId, ...args }, 'c']] });
    const response = await fetch(session.apiUrl, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${name}: the server answers ${response.status}`);
    const { methodResponses } = (await response.json()) as { readonly methodResponses: readonly [readonly [string, Result]] };
    const [answered, result] = methodResponses[0];
    if (answered === 'error') throw new Error(`${name}: ${JSON.stringify(result)}`);
    return result;
  };
  const { list = [] } = await call('Mailbox/get', { ids: null });
  return { call, mailboxes: Object.fromEntries(list.map(({ id, role }) => [role ?? id, id])) };
};

/** Moves everything to the inbox again. */
const putBack = async ({ call, mailboxes }: Account): Promise<void> => {
  for (;;) {
    const { ids = [] } = await call('Email/query', { filter: { inMailboxOtherThan: [mailboxes['inbox']] }, limit: 500 });
    if (ids.length === 0) return;
    await call('Email/set', { update: Object.fromEntries(ids.map((id) => [id, { mailboxIds: { [mailboxes['inbox']!]: true } }])) });
  }
};

/** Waits until a page neither makes requests nor waits for one for two seconds. */
export const settled = async (page: Page): Promise<void> => {
  const open = new Set<object>();
  let since = performance.now();
  const begin = (request: object): void => void open.add(request);
  const end = (request: object): void => {
    open.delete(request);
    since = performance.now();
  };
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  while (open.size > 0 || performance.now() - since < 2000) await page.waitForTimeout(100);
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
};

/** In the page: the first row, by the time of its message, which no other has. */
const firstRow = `document.querySelector('[aria-rowindex="1"] time')?.dateTime`;

/** In the page: how many of the mounted rows are flagged. */
const shownFlags = `document.querySelector('[role=grid]').textContent.split('★').length`;

const archiveAll = async ({ sandbox, open }: ActsDependencies): Promise<ReportLine[]> => {
  const who = await personWithMail(sandbox, all);
  const account = await accountOf(sandbox, who);
  await putBack(account);
  const page = await open(who, `/search?q=${encodeURIComponent('in:inbox before:2100')}`);
  await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
  await page.getByRole('button', { name: 'Select all here' }).click();
  await settled(page);
  await longestTask(page);
  const counted = countRequests(page, sandbox.jmapUrl);
  const begun = performance.now();
  const gone = await page.evaluate<number>(`(() => {
    const first = ${firstRow};
    return ${timeUntil(`[...document.querySelectorAll('.toolbar button')].find(({ textContent }) => textContent === 'Archive').click()`, `${firstRow} !== first`)};
  })()`);
  const moved = `${all.toLocaleString('en')} messages moved to Archive`;
  await page.getByRole('status').filter({ hasText: moved }).waitFor({ timeout: 300_000 });
  const [requests, took] = [counted(), performance.now() - begun];
  const longest = await longestTask(page);
  const countedUndo = countRequests(page, sandbox.jmapUrl);
  await page.getByRole('button', { name: 'Undo' }).click();
  const archived = { filter: { inMailbox: account.mailboxes['archive'] }, limit: 1 };
  while ((await account.call('Email/query', archived)).ids?.length) await page.waitForTimeout(1000);
  await settled(page);
  const undoRequests = countedUndo();
  const longestOfUndo = await longestTask(page);
  await page.context().close();
  return [
    line('10,000 messages archived from a search: requests', requests, 'requests', 25, `${(took / 1000).toFixed(1)} s`),
    line('10,000 archived: first rows are gone', gone, 'ms', 3000),
    line('10,000 archived: longest task', longest, 'ms', 50),
    line('10,000 archived, then undone: requests', undoRequests, 'requests', 30, `longest task ${Math.round(longestOfUndo)} ms`),
  ];
};

const searchWord = async ({ sandbox, open }: ActsDependencies, who: Person): Promise<ReportLine[]> => {
  const page = await open(who);
  await page.setViewportSize({ width: 390, height: 780 });
  await page.getByRole('searchbox', { name: 'Search mail' }).fill(word);
  await settled(page);
  const counted = countRequests(page, sandbox.jmapUrl);
  await page.evaluate(`void (globalThis.found = new Promise((resolve) => addEventListener('keydown', () => {
    ${timeUntil('', `document.querySelector('[aria-rowindex="1"] .subject')?.textContent.includes(${JSON.stringify(word)})`)}.then(resolve);
  }, { capture: true, once: true })))`);
  await page.keyboard.press('Enter');
  const found = await page.evaluate<number>('globalThis.found');
  const requests = counted();
  const scrollTop = (): Promise<number> => page.evaluate(`document.querySelector('[role=grid]').scrollTop`);
  await page.evaluate(`document.querySelector('[role=grid]').scrollBy(0, 1500)`);
  await settled(page);
  const before = await scrollTop();
  await page.locator('[aria-rowindex="25"] .row-content').click();
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await page.waitForTimeout(1000);
  await page.goBack();
  await page.locator('[aria-rowindex="25"] .row-content').waitFor();
  await page.waitForTimeout(1000);
  const after = await scrollTop();
  if (before !== 1500 || after !== before) throw new Error(`the results were scrolled to ${before}, and are at ${after} after one was open`);
  await page.context().close();
  return [
    line('a word found among 20,000', found, 'ms', 1000, `${messagesWithWord} messages have it`),
    line('a word found among 20,000: requests', requests, 'requests', 2),
  ];
};

const actOnTicked = async ({ sandbox, open }: ActsDependencies, who: Person): Promise<ReportLine[]> => {
  const page = await open(who);
  /** Milliseconds from a key that acts on the first fifty rows until it is shown, and requests. */
  const act = async (key: string, condition: string) => {
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('status').filter({ hasText: /^50$/ }).waitFor();
    await settled(page);
    const counted = countRequests(page, sandbox.jmapUrl);
    const shown = await page.evaluate<number>(`(() => {
      const first = ${firstRow};
      const flags = ${shownFlags};
      return ${timeUntil(press(key), condition)};
    })()`);
    await settled(page);
    return { shown, requests: counted() };
  };
  const marked = await act('s', `${shownFlags} !== flags`);
  const archived = await act('e', `${firstRow} !== first`);
  await page.context().close();
  return [
    line('an act on 50 ticked conversations is shown', marked.shown, 'ms', 50),
    line('an act on 50 ticked conversations: requests', marked.requests, 'requests', 2),
    line('50 ticked conversations archived: first row is gone', archived.shown, 'ms', 100),
    line('50 ticked conversations archived: requests', archived.requests, 'requests', 8, 'with the next page of the list'),
  ];
};

const deleteFifty = async ({ open }: ActsDependencies, who: Person): Promise<ReportLine[]> => {
  const page = await open(who);
  await settled(page);
  await page.locator('[aria-rowindex="1"] .row-content').focus();
  await page.evaluate(`globalThis.cameBack = new Set();
    globalThis.deleted = new Map();
    addEventListener('keydown', () => deleted.set(document.activeElement.querySelector('time').dateTime, 'shown'), { capture: true });
    (function look() {
      const shown = new Set([...document.querySelectorAll('[role=grid] time')].map(({ dateTime }) => dateTime));
      for (const [time, state] of deleted) {
        if (!shown.has(time)) deleted.set(time, 'gone');
        else if (state === 'gone') cameBack.add(time);
      }
      requestAnimationFrame(look);
    })()`);
  for (let count = 1; count <= deletes; count += 1) {
    await page.keyboard.press('#');
    await page.waitForTimeout(500);
  }
  await settled(page);
  const [deleted, gone, cameBack] = await page.evaluate<[number, number, number]>(
    `[deleted.size, [...deleted.values()].filter((state) => state === 'gone').length, cameBack.size]`,
  );
  if (deleted !== deletes || gone !== deletes) throw new Error(`of ${deletes} rows, ${deleted} were deleted, and ${gone} left the list`);
  await page.context().close();
  return [line('fifty deletes, two a second: rows that came back', cameBack, 'rows', 0)];
};

/** Makes the messages that have the word, and waits until the indexer has read all messages of the account, once. */
const makeMessagesWithWord = async ({ call, mailboxes }: Account): Promise<void> => {
  const { ids = [] } = await call('Email/query', { filter: { before: '2021-01-01T00:00:00Z' } });
  const create = Array.from({ length: messagesWithWord - ids.length }, (_, index) => [
    `e${index}`,
    {
      mailboxIds: { [mailboxes['inbox']!]: true },
      keywords: { $seen: true },
      subject: `Spices of ${word}, ${index + 1}`,
      from: [{ name: 'Ann', email: 'ann@elsewhere.test' }],
      receivedAt: new Date(Date.UTC(2020, 0, 1) - index * 60_000).toISOString().replace('.000Z', 'Z'),
      textBody: [{ partId: 't', type: 'text/plain' }],
      bodyValues: { t: { value: `The ship comes from ${word}.` } },
    },
  ]);
  if (create.length > 0) await call('Email/set', { create: Object.fromEntries(create) });
  for (let tries = 1; ; tries += 1) {
    try {
      await call('Email/query', { filter: { text: word } });
      return;
    } catch (error) {
      if (tries === 120) throw error;
      if (tries === 1) console.error('waiting for the search index …');
      await delay(5000);
    }
  }
};

/** Measures acts and a search in large mailboxes, which are as they were afterwards. */
export const measureActs = async (dependencies: ActsDependencies): Promise<readonly ReportLine[]> => {
  const { sandbox } = dependencies;
  const who = await personWithMail(sandbox, 20_000);
  const account = await accountOf(sandbox, who);
  await putBack(account);
  await makeMessagesWithWord(account);
  const lines = [
    ...(await archiveAll(dependencies)),
    ...(await searchWord(dependencies, who)),
    ...(await actOnTicked(dependencies, who)),
    ...(await deleteFifty(dependencies, who)),
  ];
  await putBack(account);
  return lines;
};
