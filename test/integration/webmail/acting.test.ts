import { accessTokenOf } from '../access-tokens.ts';
import { violations } from '../console/console-browser.ts';
import { deployed, describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

describeWith('webmail', 'users')('acting on mail in the web mail', () => {
  const browser = webmailBrowser();
  const mark = uniqueSubject('');
  const names = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => `${name} ${mark}`);
  let client: JmapClient;
  let mailboxId: string;
  let ids: readonly string[];

  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('alice'));
    const [made] = await client.call(['Mailbox/set', { create: { m: { name: `Acts ${mark}` } } }]);
    mailboxId = (made!['created'] as Record<string, { id: string }>)['m']!.id;
    const blobs: { json: unknown }[] = [];
    for (const name of names) {
      const message = `From: Ann <ann@elsewhere.test>\r\nMessage-ID: <${name.replaceAll(' ', '-')}@x>\r\nSubject: ${name}\r\n\r\nHello\r\n`;
      blobs.push(await client.upload(message, 'message/rfc822'));
    }
    const emails = blobs.map(({ json }, index) => [
      `e${index}`,
      {
        blobId: (json as { blobId: string }).blobId,
        mailboxIds: { [mailboxId]: true },
        receivedAt: new Date(Date.UTC(2026, 0, 1) - index * 1000).toISOString(),
      },
    ]);
    const [imported] = await client.call(['Email/import', { emails: Object.fromEntries(emails) }]);
    expect(imported!['notCreated'] ?? {}).toEqual({});
    ids = names.map((_, index) => (imported!['created'] as Record<string, { id: string }>)[`e${index}`]!.id);
  });
  afterAll(async () => {
    await client.call(['Email/set', { destroy: ids }], ['Mailbox/set', { destroy: [mailboxId] }]);
  });

  const stateOf = async (index: number) => {
    const [found] = await client.call(['Email/get', { ids: [ids[index]], properties: ['mailboxIds', 'keywords'] }]);
    const [email] = found!['list'] as { mailboxIds: Record<string, boolean>; keywords: Record<string, boolean> }[];
    return { mailboxIds: Object.keys(email!.mailboxIds), keywords: Object.keys(email!.keywords) };
  };

  test('archives, undoes, deletes, flags and moves, by keys and by buttons, and takes back what the server refuses', async () => {
    const page = await browser.signedInPage('alice');
    await page.goto(`${webmailUrl}/mailbox/${mailboxId}`);
    const [first, second, third, fourth, fifth] = names.map((name) => row(page, name));
    await fifth!.waitFor();
    await first!.focus();
    await page.keyboard.press('e');
    await first!.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: '1 message moved to Archive' }).waitFor();
    // The next row has the focus.
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain(names[1]);
    await eventually(async () => expect((await stateOf(0)).mailboxIds).toEqual([expect.not.stringContaining(mailboxId)]));
    await page.keyboard.press('z');
    await first!.waitFor();
    await eventually(async () => expect((await stateOf(0)).mailboxIds).toEqual([mailboxId]));

    await second!.click();
    await page.getByRole('heading', { level: 2, name: names[1]! }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 2, name: names[2]! }).waitFor();
    await second!.waitFor({ state: 'detached' });
    await page.keyboard.press('s');
    await third!.filter({ hasText: '★' }).waitFor();
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Move to' });
    await dialog.getByRole('button', { name: 'Junk' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Junk' }).click();
    await page.getByRole('heading', { level: 2, name: names[3]! }).waitFor();
    await third!.waitFor({ state: 'detached' });
    const [trash, junk] = [await mailboxIdOf(client, 'trash'), await mailboxIdOf(client, 'junk')];
    await eventually(async () => {
      expect((await stateOf(1)).mailboxIds).toEqual([trash]);
      expect(await stateOf(2)).toEqual({ mailboxIds: [junk], keywords: expect.arrayContaining(['$flagged', '$junk']) });
    });

    // A server that refuses: what was shown is taken back, in words.
    await page.route(`${deployed.outputs['jmapUrl']}/jmap`, async (route) => {
      const { methodCalls } = route.request().postDataJSON() as { methodCalls: [string, { update?: object }, string][] };
      const set = methodCalls.find(([name]) => name === 'Email/set');
      if (!set) return route.continue();
      const response = await route.fetch({
        postData: { ...(route.request().postDataJSON() as object), methodCalls: methodCalls.filter((call) => call !== set) },
      });
      const body = (await response.json()) as { methodResponses: unknown[] };
      const notUpdated = Object.fromEntries(Object.keys(set[1].update ?? {}).map((id) => [id, { type: 'forbidden', description: 'Not today.' }]));
      body.methodResponses.unshift(['Email/set', { newState: '', updated: null, notUpdated }, set[2]]);
      return route.fulfill({ response, json: body });
    });
    await page.keyboard.press('e');
    await page.getByRole('status').filter({ hasText: 'The change was not made: Not today.' }).waitFor();
    await fourth!.waitFor();
    expect((await stateOf(3)).mailboxIds).toEqual([mailboxId]);
    await page.context().close();
  });
});
