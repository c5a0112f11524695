import type { Page } from 'playwright-core';
import type { ReportLine } from '../../bench/report-table.ts';
import { accountOf, settled, type ActsDependencies } from './acts-load.ts';
import { line } from './bench-page.ts';
import { personWithMail } from './large-mailbox.ts';

/** Octets of the HTML of the message that is answered. */
const originalOctets = 1_000_000;

/** Octets of the file that is attached. */
const fileOctets = 25_000_000;

/** Letters that are typed, and the milliseconds between them. */
const [letters, pace] = [100, 100];

/** In the page: records the time from each key to the change of the text that it makes. */
const watchKeys = `globalThis.keys = [];
(() => {
  let pressed = 0;
  addEventListener('keydown', () => { pressed = performance.now(); }, { capture: true });
  new MutationObserver(() => pressed > 0 && keys.push(performance.now() - pressed)).observe(document.querySelector('.ProseMirror'), { subtree: true, childList: true, characterData: true });
})()`;

/** Octets of the scripts that came since a time of the page. */
const scriptsSince = (page: Page, time: number): Promise<number> =>
  page.evaluate<number>(`performance.getEntriesByType('resource')
    .filter(({ name, startTime }) => startTime > ${time} && name.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);

/** Measures the composer: a reply to a large message, saved while it is written, with a large file. */
export const measureComposer = async ({ sandbox, open }: ActsDependencies): Promise<readonly ReportLine[]> => {
  const who = await personWithMail(sandbox, 10_000);
  const account = await accountOf(sandbox, who);
  const { inbox, drafts } = account.mailboxes;
  const subject = `Large ${Date.now()}`;
  await account.call('Email/set', {
    create: {
      large: {
        mailboxIds: { [inbox!]: true },
        subject,
        from: [{ email: 'ann@elsewhere.test' }],
        htmlBody: [{ partId: 'h', type: 'text/html' }],
        bodyValues: { h: { value: '<p>A line of a long message.</p>\n'.repeat(originalOctets / 33) } },
      },
    },
  });
  const page = await open(who, `/mailbox/${inbox}`);
  await page.getByRole('gridcell').filter({ hasText: subject }).click();
  await page.getByRole('heading', { level: 2, name: subject }).waitFor();
  await settled(page);
  const before = await page.evaluate<number>('performance.now()');
  await page.getByRole('button', { name: 'Reply', exact: true }).last().click();
  const text = page.locator('.ProseMirror');
  await text.click();
  await settled(page);
  const octets = await scriptsSince(page, before);
  let saves = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('"Email/set"')) saves += 1;
  });
  await page.evaluate(watchKeys);
  const begun = performance.now();
  for (let count = 0; count < letters; count += 1) {
    await page.keyboard.press('x');
    await page.waitForTimeout(pace);
  }
  const [savesWhileTyping, seconds] = [saves, (performance.now() - begun) / 1000];
  const keys = (await page.evaluate<number[]>('keys')).toSorted((one, other) => one - other);
  const composer = page.locator('.composer');
  await composer.locator('input[type=file]').setInputFiles([{ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(fileOctets, 7) }]);
  await composer.getByRole('button', { name: 'Remove large.bin' }).waitFor({ timeout: 120_000 });
  await settled(page);
  await (await page.context().newCDPSession(page)).send('HeapProfiler.collectGarbage');
  const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize / 1e6');
  await composer.getByRole('button', { name: 'Save and close' }).click();
  await composer.waitFor({ state: 'detached' });
  const { ids: left = [] } = await account.call('Email/query', { filter: { inMailbox: drafts } });
  const { ids: large = [] } = await account.call('Email/query', { filter: { after: new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z/, 'Z') } });
  await account.call('Email/set', { destroy: [...new Set([...left, ...large])] });
  await page.context().close();
  return [
    line('scripts of the composer, compressed', octets, 'octets', 110_000),
    line('a key in a reply to 1 MB, slowest of 95 of 100', keys[Math.floor(keys.length * 0.95)] ?? 0, 'ms', 16, `${keys.length} keys`),
    line('saves while 100 letters are typed', savesWhileTyping, 'requests', Math.floor(seconds / 2) + 1, `${seconds.toFixed(1)} s`),
    line('drafts that are left', left.length, 'messages', 1),
    line('heap with a file of 25 MB', heap, 'MB', 60),
  ];
};
