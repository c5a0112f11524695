import type { Page } from 'playwright-core';
import { mailboxIdOf, type JmapClient } from '../jmap-client.ts';

export const composer = (page: Page) => page.locator('.composer');

/** The text that a person writes. */
export const composerText = (page: Page) => composer(page).getByRole('textbox', { name: 'Message' });

/** The last words of the page to the person. */
export const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).first();

export const write = async (page: Page, { to, subject, text }: { readonly to?: string; readonly subject: string; readonly text: string }): Promise<void> => {
  await page.getByRole('button', { name: 'New message' }).click();
  if (to !== undefined) {
    await composer(page).getByRole('combobox', { name: 'To' }).fill(`${to},`);
  }
  await composer(page).getByRole('textbox', { name: 'Subject' }).fill(subject);
  await composerText(page).click();
  await page.keyboard.type(text);
};

export const send = (page: Page): Promise<void> => composer(page).getByRole('button', { name: 'Send', exact: true }).click();

export type FoundEmail = {
  readonly id: string;
  readonly blobId: string;
  readonly subject: string;
  readonly preview: string;
  readonly keywords: object;
  readonly from: readonly { readonly name: string | null; readonly email: string }[];
  readonly replyTo: readonly { readonly name: string | null; readonly email: string }[] | null;
  readonly attachments: readonly { readonly blobId: string; readonly name: string; readonly size: number; readonly type: string }[];
};

/** The messages in the mailbox of a role whose subjects have a text. */
export const emailsIn = async (client: JmapClient, role: string, text: string): Promise<FoundEmail[]> => {
  const properties = ['id', 'blobId', 'subject', 'preview', 'keywords', 'from', 'replyTo', 'attachments'];
  const [, found] = await client.call(
    ['Email/query', { filter: { inMailbox: await mailboxIdOf(client, role) } }],
    ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties }],
  );
  return (found!['list'] as FoundEmail[]).filter(({ subject }) => subject?.includes(text));
};
