import type { MailClient, Result } from '../upgrade/mail-client.ts';

type Email = { readonly id: string; readonly blobId: string };

/** All that a client sees of an account: Mailboxes, Emails and the content of messages, without states. */
export const seenBy = async (client: MailClient): Promise<{ readonly emails: readonly Result[]; readonly mailboxes: readonly Result[] }> => {
  const [{ list: mailboxes }, { ids }] = (await client.call(
    ['Mailbox/get', { ids: null }],
    ['Email/query', { limit: 200, sort: [{ property: 'receivedAt' }] }],
  )) as [{ list: Result[] }, { ids: string[] }];
  const [{ list: emails }] = (await client.call([
    'Email/get',
    {
      ids,
      properties: ['id', 'blobId', 'threadId', 'mailboxIds', 'keywords', 'subject', 'size', 'receivedAt', 'bodyValues', 'textBody'],
      fetchTextBodyValues: true,
    },
  ])) as [{ list: Result[] }];
  const byId = (one: Result, other: Result): number => (String(one['id']) < String(other['id']) ? -1 : 1);
  return { emails: emails.toSorted(byId), mailboxes: mailboxes.toSorted(byId) };
};

/** Whether the raw message of each Email can be downloaded, by Email id. */
export const downloads = async (client: MailClient, jmapUrl: string, emails: readonly Result[]): Promise<ReadonlyMap<string, boolean>> => {
  const headers = { authorization: `Bearer ${client.token}` };
  const { downloadUrl } = (await (await fetch(`${jmapUrl}/.well-known/jmap`, { headers })).json()) as { downloadUrl: string };
  return new Map(
    await Promise.all(
      (emails as unknown as Email[]).map(async ({ id, blobId }) => {
        const url = downloadUrl.replace('{accountId}', client.accountId).replace('{blobId}', blobId).replace('{name}', 'a').replace('{type}', 'message/rfc822');
        const response = await fetch(url, { headers });
        await response.arrayBuffer();
        return [id, response.ok] as const;
      }),
    ),
  );
};
