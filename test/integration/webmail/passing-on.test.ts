import { accessTokenOf } from '../access-tokens.ts';
import { violations } from '../console/console-browser.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf } from '../jmap-client.ts';
import { composeMessage, uniqueSubject } from '../send-by-smtp.ts';
import { composer, composerText, emailsIn, said, send, write } from './composer-page.ts';
import { conversation, row, webmailBrowser } from './webmail-browser.ts';

describeWith('webmail', 'users')('passing on in the web mail', () => {
  const browser = webmailBrowser();

  test('files of a message and the message itself are attached to another one, and it is redirected as it is', async () => {
    const mark = uniqueSubject('').trim();
    const [alice, bob] = await Promise.all((['alice', 'bob'] as const).map(async (person) => jmapClient(await accessTokenOf(person))));
    const plan = Buffer.from('%PDF-1.4 plan');
    const message = await composeMessage({
      from: 'Çarol <carol@elsewhere.test>',
      to: sandboxUser('alice').email,
      subject: `Plan ${mark}`,
      text: 'Grüße, Carol',
      attachments: [{ filename: 'plan.pdf', content: plan }],
    });
    const { json } = await alice!.upload(message, 'message/rfc822');
    const { blobId } = json as { blobId: string };
    await alice!.call(['Email/import', { emails: { e: { blobId, mailboxIds: { [await mailboxIdOf(alice!, 'inbox')]: true } } } }]);

    const page = await browser.signedInPage('alice');
    await row(page, `Plan ${mark}`).click();
    await conversation(page, `Plan ${mark}`);
    const attach = page.getByRole('button', { name: 'Attach to your message plan.pdf' });
    expect(await attach.count()).toBe(0);
    await write(page, { to: sandboxUser('bob').email, subject: `Files ${mark}`, text: 'Both' });
    await attach.click();
    await composer(page).getByRole('button', { name: 'Remove plan.pdf' }).waitFor();
    await page.getByRole('article').getByRole('button', { name: 'Details' }).click();
    await page.getByRole('button', { name: 'Attach to your message', exact: true }).click();
    await composer(page)
      .getByRole('button', { name: `Remove Plan ${mark}.eml` })
      .waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'plan.pdf' })
      .first()
      .dragTo(composerText(page), { sourcePosition: { x: 4, y: 4 } });
    await composer(page).getByRole('button', { name: 'Remove plan.pdf' }).nth(1).click();
    await send(page);
    await composer(page).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Redirect' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redirect' });
    await dialog.getByRole('combobox', { name: 'To' }).fill(sandboxUser('bob').email);
    await expect(violations(page)).resolves.toEqual([]);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await said(page, 'Message sent').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect([await emailsIn(alice!, 'sent', `Plan ${mark}`), await emailsIn(alice!, 'drafts', `Plan ${mark}`)]).toEqual([[], []]));
    await page.getByRole('button', { name: 'Redirect' }).click();
    await dialog.getByRole('combobox', { name: 'To' }).fill(sandboxUser('bob').email);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await said(page, 'Message sent').waitFor();

    const arrived = await eventually(async () => {
      const found = await emailsIn(bob!, 'inbox', mark);
      expect(found).toHaveLength(2);
      return found;
    }, 200);
    const files = arrived.find(({ subject }) => subject.startsWith('Files'))!.attachments;
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['plan.pdf', 'application/pdf'],
      [`Plan ${mark}.eml`, 'message/rfc822'],
    ]);
    const octetsOf = async (blob: string): Promise<Buffer> => Buffer.from(await (await bob!.download(blob)).arrayBuffer());
    expect(await octetsOf(files[0]!.blobId)).toEqual(plan);
    expect(await octetsOf(files[1]!.blobId)).toEqual(Buffer.from(message));
    const redirected = arrived.find(({ subject }) => subject.startsWith('Plan'))!;
    expect(redirected).toMatchObject({
      from: [{ name: expect.stringMatching(/^Çarol via /), email: sandboxUser('alice').email }],
      replyTo: [{ name: 'Çarol', email: 'carol@elsewhere.test' }],
    });
    const bodyOf = (octets: Buffer): string => octets.toString('latin1').split('\r\n\r\n').slice(1).join('\r\n\r\n').trim();
    expect(bodyOf(await octetsOf(redirected.blobId))).toBe(bodyOf(Buffer.from(message)));
    await eventually(async () => expect((await emailsIn(alice!, 'inbox', `Plan ${mark}`))[0]!.keywords).toHaveProperty('$forwarded'));
    await page.context().close();
  });
});
