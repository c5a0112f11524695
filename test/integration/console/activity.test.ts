import type { SentMessage } from '../../../contract/admin/mail-feedback.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { primaryDomain } from '../primary-domain.ts';
import { sendMail } from '../send-by-smtp.ts';
import { callAdmin, consoleBrowser, open, overhang, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();

const messagesWith = async (request: object): Promise<SentMessage[]> =>
  (await callAdmin<{ messages: SentMessage[] }>('mail-feedback/ListSentMessages', request)).messages;

/** Sends a test mail by the admin API, and waits until the recipient has a state. */
const sendTestMail = async (recipient: string, state: string): Promise<SentMessage> => {
  const { id } = await primaryDomain(await adminMachineToken());
  const { submission_id } = await callAdmin<{ submission_id: string }>('domains/SendTestEmail', { id, test_type: 'NORMAL', to_email: recipient });
  const reached = async () => {
    const [message] = await messagesWith({ submission_id });
    expect(message).toMatchObject({ recipients: [{ state }] });
    return message!;
  };
  return eventually(reached, 200);
};

describeWith(
  'users',
  'smtp',
  'emulator',
)('the search for a message', () => {
  test('finds by address which mail bounced and why, leads to the message, its log lines, and the reason of the suppression', async () => {
    const recipient = `bounce+${uniqueName('console')}@simulator.amazonses.com`;
    const { submission_id } = await sendTestMail(recipient, 'BOUNCED');
    const page = await browser.signedInPage({ bypassCSP: true });
    await open(page, '/', 'Overview');
    const search = page.getByRole('banner').getByRole('combobox');
    await search.fill(recipient);
    await search.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Mail from and to ${recipient}` }).waitFor();
    await page.getByText('The recipient’s server returned the message for good.').waitFor();
    await page.getByRole('button', { name: 'Clear bounces' }).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole('table').first().getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: `Message to ${recipient}` }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/activity/${submission_id}`);
    const steps = page.getByRole('list', { name: `Delivery to ${recipient}` });
    expect((await steps.getByRole('listitem').allTextContents()).map((text) => /Accepted|Sent|Bounced/.exec(text)?.[0])).toEqual([
      'Accepted',
      'Sent',
      'Bounced',
    ]);
    await steps.getByText(/^550 5\.1\.1/).waitFor();
    await steps.getByRole('button', { name: 'Log lines around this' }).nth(1).click();
    await page.getByRole('region', { name: 'About this message' }).getByText('part sent').waitFor();
    expect(await violations(page)).toEqual([]);

    await open(page, '/feedback', 'Bounces and complaints');
    const { domain } = await primaryDomain(await adminMachineToken());
    await page.getByRole('row').filter({ hasText: recipient }).getByRole('link', { name: domain, exact: true }).waitFor();
  });

  test('accepts a Message-ID as a header has it, SES’s own Message-ID, and SES’s id', async () => {
    const recipient = `${uniqueName('reader')}@elsewhere.test`;
    const { message_id, provider_message_ids: [provider] = [] } = await sendTestMail(recipient, 'DELIVERED');
    const page = await browser.signedInPage({ viewport: { width: 390, height: 844 } });
    for (const text of [`Message-ID: <${message_id}>`, `<${provider}@email.amazonses.com>`, provider!]) {
      await open(page, `/activity?find=${encodeURIComponent(text)}`, `Message to ${recipient}`);
      await page.getByText('The recipient’s server has taken the message.').waitFor();
    }
    expect(await overhang(page)).toBe(0);
  });

  test('suggests other searches when nothing is found, and shows the search term as text', async () => {
    const page = await browser.signedInPage();
    for (const text of ['<img src=x onerror=alert(1)>', 'submission_unknown', `<${'x'.repeat(900)}@y>`]) {
      await open(page, `/activity?find=${encodeURIComponent(text)}`, 'Messages with this Message-ID');
      await page.getByText('No message was found').waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
    }
    await open(page, '/activity/submission_unknown', 'Message');
    await page.getByText('There is no message with this id').waitFor();
  });

  test('lists what came in and went out, newest first, with filters, and leads from a refused recipient to what the address is', async () => {
    const label = uniqueName('activity').toLowerCase();
    const { domain } = await primaryDomain(await adminMachineToken());
    const [to, nobody, from] = [sandboxUser('alice').email, `${label}@${domain}`, `${label}@elsewhere.test`];
    await sendMail([to], { subject: `In ${label}`, text: 'Hello', from });
    await sendTestMail(`${label}-out@elsewhere.test`, 'DELIVERED');
    await eventually(async () => {
      const { messages } = await callAdmin<{ messages: object[] }>('mail-feedback/ListReceivedMessages', { subject_contains: label });
      expect(messages).toHaveLength(1);
    });
    const page = await browser.signedInPage();
    await open(page, '/activity', 'Mail in and out');
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await row(`${label}-out@elsewhere.test`).first().waitFor();
    await row(`In ${label}`).getByText('Delivered').waitFor();
    await page.getByRole('button', { name: 'Direction All' }).click();
    await page.getByRole('option', { name: 'Received' }).click();
    await row(`${label}-out@elsewhere.test`).first().waitFor({ state: 'hidden' });
    expect(new URL(page.url()).search).toBe('?direction=received');
    await open(page, `/activity?find=${encodeURIComponent('@elsewhere.test')}&direction=received`, 'Mail from and to elsewhere.test');
    await row(`In ${label}`).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Message from / }).waitFor();
    await page.getByText('Inbox').first().waitFor();

    await open(page, `/activity?find=${encodeURIComponent(nobody)}`, `Mail from and to ${nobody}`);
    await page.getByText('No address of this deployment, which has its domain').waitFor();
    await page.getByText('There is no such address, so its mail is refused').waitFor();
  });

  test('finds a person and a domain by the keyboard alone, and messages by what is typed', async () => {
    const { domain } = await primaryDomain(await adminMachineToken());
    const page = await browser.signedInPage({ bypassCSP: true });
    await open(page, '/', 'Overview');
    const search = page.getByRole('banner').getByRole('combobox');
    /** Types an address, and chooses the person, who comes after the messages and before the account. */
    const choose = async (address: string): Promise<void> => {
      await search.fill(address);
      const options = page.getByRole('option').filter({ hasText: address });
      await eventually(async () => expect(await options.count()).toBeGreaterThanOrEqual(3));
      const wanted = options.nth(1);
      // Only the option that the arrows have reached has an id.
      for (let presses = 0; presses < 20 && (await wanted.getAttribute('id')) === null; presses += 1) await search.press('ArrowDown');
      await search.press('Enter');
    };
    const { email, userId } = sandboxUser('alice');
    await choose(email);
    await page.waitForURL((url) => url.pathname === `/users/${userId}`);
    await search.fill(domain);
    await page.getByRole('option', { name: domain, exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await search.fill(email);
    await search.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Mail from and to ${email}` }).waitFor();
  });
});
