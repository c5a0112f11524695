import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings, type Json } from '../jmap-deployment.ts';
import { submissionDeployment } from './submission-deployment.ts';

/** The curl commands in the section of docs/clients.md about sending: indented blocks, with the request of each. */
const documentedCalls = (): readonly { readonly url: string; readonly body: string | undefined }[] => {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'clients.md'), 'utf8');
  const [section] = /^## \d+\. Send a mail\n[^]*?(?=^## )/m.exec(guide)!;
  const blocks = [...section.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replaceAll(/^ {4}/gm, ''));
  return blocks.map((block) => {
    const [, url, rest] = /^curl -s "?([^\s"]+)"? -H "Authorization: Bearer \$TOKEN"([^]*)$/.exec(block)!;
    return { url: url!, body: /-H 'Content-Type: application\/json' -d '([^]*)'\s*$/.exec(rest!)?.[1] };
  });
};

test('the three calls of docs/clients.md send a mail', async () => {
  const deployment = await submissionDeployment();
  const values: Record<string, string> = { $URL: settings.jmapUrl };
  const fill = (text: string) => Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(name, value), text);
  const [session, find, send] = documentedCalls().map(({ url, body }) => async (): Promise<Json> => {
    const { pathname } = new URL(fill(url));
    const response = await deployment.http(body === undefined ? 'GET' : 'POST', pathname, { body: body && fill(body) });
    return JSON.parse(response.body!) as Json;
  });
  expect(documentedCalls()).toHaveLength(3);

  const { apiUrl, primaryAccounts } = await session!();
  Object.assign(values, { '<apiUrl>': apiUrl, '<accountId>': primaryAccounts['urn:ietf:params:jmap:submission'] });
  const [
    [
      ,
      {
        list: [identity],
      },
    ],
    [
      ,
      {
        ids: [sentId],
      },
    ],
  ] = (await find!())['methodResponses'];
  Object.assign(values, { '<identityId>': identity.id, '<email>': identity.email, '<sentId>': sentId });
  const [[, written], [, sent], [, updated]] = (await send!())['methodResponses'];
  expect([written.created.mail.id, sent.created.send.undoStatus]).toEqual([expect.any(String), 'pending']);
  expect(updated.updated).toEqual({ [written.created.mail.id]: null });
  expect(await deployment.outgoing(sent.created.send.id as string)).toContain('\r\nTo: bob@example.net\r\n');
  const { list } = await deployment.call('Email/get', { ids: [written.created.mail.id], properties: ['keywords'] });
  expect(list).toMatchObject([{ keywords: { $seen: true } }]);
});
