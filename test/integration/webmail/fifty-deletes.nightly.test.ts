import { accessTokenOf } from '../access-tokens.ts';
import { describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { jmapClient } from '../jmap-client.ts';
import { uniqueSubject } from '../send-by-smtp.ts';
import { idsIn, makeMailbox, makeMails, removeMade } from './made-mails.ts';
import { row, webmailBrowser, webmailUrl } from './webmail-browser.ts';

describeWith('webmail', 'users')('many acts in the web mail', () => {
  const browser = webmailBrowser();
  afterAll(removeMade);

  test('fifty deletes one after the other: the list never goes back', async () => {
    const client = await jmapClient(await accessTokenOf('alice'));
    const mark = uniqueSubject('').trim();
    const id = await makeMailbox(client, `Fifty ${mark}`);
    await makeMails(
      client,
      id,
      Array.from({ length: 60 }, (_, index) => ({ subject: `Fifty ${index + 1}. ${mark}` })),
    );
    const page = await browser.signedInPage('alice');
    await page.goto(`${webmailUrl}/mailbox/${id}`);
    const mail = (number: number) => row(page, `Fifty ${number}. ${mark}`);
    await mail(1).waitFor();
    await page.evaluate(`globalThis.firstShown = [];
      (function look() {
        const text = document.querySelector('[aria-rowindex="1"] .subject')?.textContent ?? '';
        const number = Number(/Fifty (\\d+)/.exec(text)?.[1]);
        if (number && firstShown.at(-1) !== number) firstShown.push(number);
        requestAnimationFrame(look);
      })()`);
    await mail(1).focus();
    for (let count = 1; count <= 50; count += 1) {
      await page.keyboard.press('#');
      await mail(count).waitFor({ state: 'detached' });
    }
    await eventually(async () => expect(await idsIn(client, id)).toHaveLength(10));
    await page.waitForFunction('firstShown.at(-1) === 51');
    const shown = await page.evaluate<number[]>('firstShown');
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain('Fifty 51.');
    await page.context().close();
  });
});
