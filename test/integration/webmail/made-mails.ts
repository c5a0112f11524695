import type { JmapClient } from '../jmap-client.ts';

export type MadeMail = { readonly subject: string; readonly text?: string; readonly html?: string; readonly keywords?: Readonly<Record<string, true>> };

/** Makes mails in a mailbox, in the order of the list: the first one is the newest. @returns their ids. */
export const makeMails = async (client: JmapClient, mailboxId: string, mails: readonly MadeMail[], accountId = client.accountId): Promise<string[]> => {
  const now = Date.now();
  const create = mails.map(({ subject, text = 'Hello', html, keywords = {} }, index) => [
    `e${index}`,
    {
      mailboxIds: { [mailboxId]: true },
      keywords,
      subject,
      from: [{ name: 'Ann', email: 'ann@elsewhere.test' }],
      messageId: [`${subject.replaceAll(/[^\w-]/g, '-')}@x`],
      receivedAt: new Date(now - index * 1000).toISOString().replace(/\.\d+Z/, 'Z'),
      textBody: [{ partId: 't', type: 'text/plain' }],
      ...(html !== undefined && { htmlBody: [{ partId: 'h', type: 'text/html' }] }),
      bodyValues: { t: { value: text }, ...(html !== undefined && { h: { value: html } }) },
    },
  ]);
  const [made] = await client.call(['Email/set', { accountId, create: Object.fromEntries(create) }]);
  expect(made!['notCreated'] ?? {}).toEqual({});
  return mails.map((_, index) => (made!['created'] as Record<string, { id: string }>)[`e${index}`]!.id);
};

/** Removes mailboxes that a test file made, with their mails. */
const removals: (() => Promise<unknown>)[] = [];
export const removeMade = async (): Promise<void> => {
  for (const remove of removals.splice(0)) await remove();
};

/** Makes a mailbox, until {@link removeMade}. @returns its id. */
export const makeMailbox = async (client: JmapClient, name: string, accountId = client.accountId): Promise<string> => {
  const [made] = await client.call(['Mailbox/set', { accountId, create: { m: { name } } }]);
  const { id } = (made!['created'] as Record<string, { id: string }>)['m']!;
  removals.push(() => client.call(['Mailbox/set', { accountId, destroy: [id], onDestroyRemoveEmails: true }]));
  return id;
};

/** The ids in a mailbox, in the order of the list. */
export const idsIn = async (client: JmapClient, mailboxId: string, accountId = client.accountId): Promise<string[]> => {
  const sort = [{ property: 'receivedAt', isAscending: false }];
  const [found] = await client.call(['Email/query', { accountId, filter: { inMailbox: mailboxId }, sort }]);
  return found!['ids'] as string[];
};
