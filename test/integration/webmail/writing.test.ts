import { randomBytes } from 'node:crypto';
import { accessTokenOf } from '../access-tokens.ts';
import { violations } from '../console/console-browser.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { composer, composerText, emailsIn, type FoundEmail } from './composer-page.ts';
import { makeMailbox, makeMails, removeMade } from './made-mails.ts';
import { conversation, messageFrame, row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

/** A PNG of one red pixel. */
const redPixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');

describeWith('webmail', 'users')('writing in the web mail', () => {
  const browser = webmailBrowser();
  const mark = uniqueSubject('').trim();
  let [alice, bob]: JmapClient[] = [];
  const address = (person: 'alice' | 'bob'): string => sandboxUser(person).email;

  beforeAll(async () => {
    [alice, bob] = await Promise.all((['alice', 'bob'] as const).map(async (person) => jmapClient(await accessTokenOf(person))));
  });
  afterAll(removeMade);

  const text = composerText;
  const inMailbox = (client: JmapClient, role: string): Promise<FoundEmail[]> => emailsIn(client, role, mark);

  test('a letter with a photo and an image in its text arrives by push, is answered to all, and the answer is in the conversation', async () => {
    const page = await browser.signedInPage('alice');
    const other = await browser.signedInPage('bob');
    await page.getByRole('gridcell').nth(1).focus();
    await page.keyboard.press('c');
    await composer(page).getByRole('combobox', { name: 'To' }).fill(address('bob'));
    await page.keyboard.press('Enter');
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill(`Holiday ${mark}`);
    await text(page).click();
    await page.keyboard.type('Dear Bob,');
    await page.keyboard.press('Enter');
    await composer(page).getByRole('button', { name: 'Bold' }).click();
    await page.keyboard.type('look');
    await page.keyboard.press('Control+b');
    await page.keyboard.type(' at this: ');
    const photo = randomBytes(6_000_000);
    await composer(page)
      .locator('input[type=file]')
      .setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo }]);
    await page.evaluate(`(() => {
      const octets = Uint8Array.from(atob(${JSON.stringify(redPixel.toString('base64'))}), (each) => each.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([octets], 'red.png', { type: 'image/png' }));
      document.querySelector('.ProseMirror').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
    await text(page).getByRole('img', { name: 'red.png' }).waitFor();
    await composer(page).getByRole('button', { name: 'Remove photo.jpg' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    await composer(page).getByRole('status').filter({ hasText: 'Saved' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').filter({ hasText: 'Message sent' }).waitFor();
    await composer(page).waitFor({ state: 'detached' });
    expect((await inMailbox(alice!, 'drafts')).length).toBe(0);
    expect(await page.evaluate<string>('document.activeElement.getAttribute("role")')).toBe('gridcell');

    await row(other, `Holiday ${mark}`).click();
    await conversation(other, `Holiday ${mark}`);
    await messageFrame(other).getByText('look', { exact: true }).waitFor();
    await messageFrame(other).getByRole('img').waitFor();
    const [arrived] = await inMailbox(bob!, 'inbox');
    const attachment = arrived!.attachments.find(({ name }) => name === 'photo.jpg')!;
    const downloaded = await bob!.download(attachment.blobId);
    expect(Buffer.compare(Buffer.from(await downloaded.arrayBuffer()), photo)).toBe(0);

    await other.getByRole('button', { name: 'Reply all' }).click();
    await text(other).click();
    await other.keyboard.type('Wonderful!');
    await composer(other).getByRole('button', { name: 'Send', exact: true }).click();
    await other.getByRole('status').filter({ hasText: 'Message sent' }).waitFor();
    await eventually(async () => expect((await inMailbox(bob!, 'inbox'))[0]!.keywords).toHaveProperty('$answered'));
    await row(page, `Re: Holiday ${mark}`).click();
    await messageFrame(page).getByText('Wonderful!').waitFor();
    await page.context().close();
    await other.context().close();
  });

  test('sending can be undone; the draft is open again, and is sent once', async () => {
    const page = await browser.signedInPage('alice');
    await page.getByRole('button', { name: 'New message' }).click();
    await composer(page)
      .getByRole('combobox', { name: 'To' })
      .fill(`${address('bob')},`);
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill(`Undone ${mark}`);
    await text(page).click();
    await page.keyboard.type('First try');
    await composer(page).getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await text(page).filter({ hasText: 'First try' }).waitFor();
    await eventually(async () => expect((await inMailbox(alice!, 'sent')).filter(({ subject }) => subject.startsWith('Undone'))).toEqual([]));
    await text(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', second try');
    await composer(page).getByRole('button', { name: 'Send', exact: true }).click();
    await composer(page).waitFor({ state: 'detached' });
    const undone = async (role: string) => (await inMailbox(alice!, role)).filter(({ subject }) => subject.startsWith('Undone'));
    expect([await undone('sent'), await undone('drafts')]).toMatchObject([[{ preview: 'First try, second try' }], []]);
    await page.context().close();
  });

  test('what is written is there after the tab was killed, is one draft, and goes on in another browser', async () => {
    const page = await browser.signedInPage('alice');
    await page.keyboard.press('c');
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill(`Kept ${mark}`);
    await text(page).click();
    await page.keyboard.type('Not lost');
    const again = await page.context().newPage();
    await page.close();
    await again.goto(webmailUrl);
    await text(again).filter({ hasText: 'Not lost' }).waitFor();
    expect(await composer(again).getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(`Kept ${mark}`);
    await again.waitForTimeout(500);
    await composer(again).getByRole('button', { name: 'Save and close' }).click();
    await composer(again).waitFor({ state: 'detached' });
    expect((await inMailbox(alice!, 'drafts')).filter(({ subject }) => subject.startsWith('Kept'))).toMatchObject([{ preview: 'Not lost' }]);
    await again.context().close();

    const other = await browser.signedInPage('alice');
    await other.getByRole('link', { name: /^Drafts/ }).click();
    await row(other, `Kept ${mark}`).click();
    await other.getByRole('button', { name: 'Continue writing' }).click();
    await text(other).filter({ hasText: 'Not lost' }).waitFor();
    // It is not opened twice.
    await other.getByRole('button', { name: 'Continue writing' }).click();
    expect(await composer(other).count()).toBe(1);
    await composer(other).getByRole('button', { name: 'Discard' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await composer(other).waitFor({ state: 'detached' });
    expect((await inMailbox(alice!, 'drafts')).filter(({ subject }) => subject.startsWith('Kept'))).toEqual([]);
    await other.context().close();
  });

  test('a reply keeps its original as it was, and a forward keeps its files', async () => {
    const mailboxId = await makeMailbox(alice!, `Write ${mark}`);
    const html = `<style>p.big { font-size: 40px }</style><p class="big">Big</p><table><tr><td bgcolor="#ff0000">Cell</td></tr></table><a href="https://example.com/">link</a> <a href="mailto:help@example.com?body=x">Help</a><script>alert(1)</script>`;
    const [id] = await makeMails(alice!, mailboxId, [{ subject: `Styled ${mark}`, html }]);
    const page = await browser.signedInPage('alice');
    await page.goto(`${webmailUrl}/mailbox/${mailboxId}`);
    await row(page, `Styled ${mark}`).click();
    await conversation(page, `Styled ${mark}`);
    await messageFrame(page).getByRole('link', { name: 'Help' }).click();
    await composer(page).getByText('help@example.com').first().waitFor();
    await composer(page).getByRole('button', { name: 'Save and close' }).click();
    await composer(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reply', exact: true }).first().click();
    await text(page).click();
    await page.keyboard.type('My answer');
    await composer(page).getByRole('region', { name: 'The original, as it will be sent' }).waitFor();
    await composer(page).getByRole('status').filter({ hasText: 'Saved' }).waitFor();
    await composer(page).getByRole('button', { name: 'Save and close' }).click();
    await composer(page).waitFor({ state: 'detached' });
    const [, found] = await alice!.call(
      ['Email/query', { filter: { inMailbox: await mailboxIdOf(alice!, 'drafts') } }],
      [
        'Email/get',
        {
          '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' },
          properties: ['subject', 'htmlBody', 'textBody', 'bodyValues', 'inReplyTo'],
          fetchAllBodyValues: true,
        },
      ],
    );
    const drafts = found!['list'] as {
      subject: string;
      htmlBody: { partId: string }[];
      textBody: { partId: string }[];
      bodyValues: Record<string, { value: string }>;
    }[];
    const draft = drafts.find(({ subject }) => subject === `Re: Styled ${mark}`)!;
    const written = draft.bodyValues[draft.htmlBody[0]!.partId]!.value;
    expect(written).toContain('My answer');
    for (const kept of ['.webmail-quote p.big { font-size: 40px; }', '<p class="big">Big</p>', 'bgcolor="#ff0000"', 'href="https://example.com/"'])
      expect(written).toContain(kept);
    expect(written).not.toContain('script');
    expect(draft.bodyValues[draft.textBody[0]!.partId]!.value).toMatch(/My answer[^]*wrote:\n> Hello/);
    expect(id).toBeDefined();
    await page.context().close();
  });

  test('a message that is sent later can be changed, and taken back', async () => {
    const page = await browser.signedInPage('alice');
    await page.keyboard.press('c');
    await composer(page)
      .getByRole('combobox', { name: 'To' })
      .fill(`${address('bob')},`);
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill(`Later ${mark}`);
    await text(page).click();
    await page.keyboard.type('Not yet');
    await composer(page).getByRole('button', { name: 'Send later' }).click();
    await expect(violations(page)).resolves.toEqual([]);
    await composer(page).getByRole('button', { name: 'Send then' }).click();
    await page.getByRole('status').filter({ hasText: 'Will be sent' }).waitFor();
    const waiting = page.getByRole('dialog', { name: 'Waiting to be sent' });
    const entry = waiting.getByRole('listitem').filter({ hasText: `Later ${mark}` });
    const openWaiting = (): Promise<void> => page.getByRole('button', { name: 'Waiting to be sent' }).click();
    await openWaiting();
    await expect(violations(page)).resolves.toEqual([]);
    await entry.getByRole('button', { name: 'Change' }).click();
    await text(page).filter({ hasText: 'Not yet' }).waitFor();
    await text(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', but soon');
    await composer(page).getByRole('button', { name: 'Send later' }).click();
    await composer(page).getByRole('button', { name: 'Send then' }).click();
    await composer(page).waitFor({ state: 'detached' });
    const later = async (role: string) => (await inMailbox(alice!, role)).filter(({ subject }) => subject.startsWith('Later'));
    expect(await later('sent')).toMatchObject([{ preview: 'Not yet, but soon' }]);
    await page.getByRole('link', { name: /^Sent/ }).click();
    await row(page, `Later ${mark}`).click();
    await page.getByRole('status').filter({ hasText: 'Will be sent' }).first().waitFor();
    await openWaiting();
    await entry.getByRole('button', { name: 'Don’t send' }).click();
    await entry.waitFor({ state: 'detached' });
    expect([await later('sent'), await later('drafts')]).toMatchObject([[], [{ preview: 'Not yet, but soon' }]]);
    await page.context().close();
  });

  test('an address that is wrong, an attachment that is forgotten and a refused recipient are said, and nothing is lost', async () => {
    const page = await browser.signedInPage('alice');
    await page.keyboard.press('c');
    await composer(page).getByRole('button', { name: 'Send', exact: true }).click();
    await composer(page).getByRole('alert').filter({ hasText: 'There is nobody to send it to.' }).waitFor();
    await composer(page).getByRole('combobox', { name: 'To' }).fill('not an address,');
    await composer(page).getByRole('textbox', { name: 'Subject' }).fill(`Wrong ${mark}`);
    await composer(page).getByRole('button', { name: 'Send', exact: true }).click();
    await composer(page).getByRole('alert').filter({ hasText: 'An address is wrong.' }).waitFor();
    await expect(violations(page)).resolves.toEqual([]);
    // A file on its way is not lost by closing.
    await page.route('**/upload/**', () => undefined);
    await composer(page)
      .locator('input[type=file]')
      .setInputFiles([{ name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('slow') }]);
    await composer(page).getByRole('button', { name: 'Save and close' }).click();
    await composer(page).getByRole('alert').filter({ hasText: 'still being uploaded' }).waitFor();
    await composer(page).getByRole('button', { name: 'Cancel slow.txt' }).click();
    await composer(page).getByRole('combobox', { name: 'To' }).focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await composer(page)
      .getByRole('combobox', { name: 'To' })
      .fill(`${address('bob')},`);
    await text(page).click();
    await page.keyboard.type('See the attached file.');
    await composer(page).getByRole('button', { name: 'Send', exact: true }).click();
    await composer(page).getByRole('alert').filter({ hasText: 'speaks of an attachment' }).waitFor();
    await composer(page).getByRole('button', { name: 'Send anyway' }).click();
    await page.getByRole('status').filter({ hasText: 'Message sent' }).waitFor();
    await page.context().close();
  });
});
