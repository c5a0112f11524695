import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Messages that a person receives and sends in a month: 20 and 5 a day. */
const [received, sent] = [600, 150];

const costPage = (): string => readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cost.md'), 'utf8');

/** USD in the row of docs/cost.md that begins with these words. @throws Error without the row. */
const usdOfRow = (page: string, words: string): number => {
  const row = page.split('\n').find((text) => text.startsWith(`| ${words}`));
  const amount = row?.split('|').at(-2)?.trim();
  if (amount === undefined) throw new Error(`docs/cost.md has no row "${words}"`);
  // Less than a cent is counted as half a cent.
  return amount.startsWith('<') ? 0.005 : Number(amount);
};

/** USD for a GB of stored mail in a month, its items in the tables included. */
export const storedGigabyteUsd = (page = costPage()): number => usdOfRow(page, 'a person with 10 GB') / 10;

/** USD for one person and month, from the rows of docs/cost.md. The bench writes that page, and a test checks it. */
export const personUsd = (page = costPage()) => {
  const client = ['20 openings of the mailbox', '50 synchronizations', '20 downloads', 'a WebSocket', 'the person'].map((words) => usdOfRow(page, words));
  const mail = usdOfRow(page, '1,000 messages in,') * received / 1000 + usdOfRow(page, '1,000 messages out, to one recipient') * sent / 1000;
  return {
    usd: client.reduce((sum, each) => sum + each, mail),
    assumed: `opens the mailbox 20 times a day, gets ${received} messages and sends ${sent}`,
  };
};
