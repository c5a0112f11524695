import type { Page } from 'playwright-core';
import { queueName, queueWords } from '../../../console/words/pages/monitoring.ts';
import { words } from '../../../console/words/words.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import type { ReceivedMessage } from '../../../contract/admin/received-mail.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { primaryDomain } from '../primary-domain.ts';
import { putIntoDeadLetters, uniqueSubject } from '../send-by-smtp.ts';
import { callAdmin, consoleBrowser, open, settled, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();
const { letters } = queueWords;
const queue = 'InboundMail/Waiting';

describeWith('users', 'credentials')('mail that could not be delivered', () => {
  let page: Page;
  const addresses: [string, string, string] = [uniqueName('first'), uniqueName('second'), uniqueName('third')];
  beforeAll(async () => {
    page = await browser.signedInPage();
    const { id: domain_id, domain } = await primaryDomain(await adminMachineToken());
    for (const [index, local_part] of addresses.entries()) {
      addresses[index] = `${local_part}@${domain}`;
      await callAdmin('aliases/CreateAlias', { account_id: sandboxUser('alice').accountId, local_part, domain_id });
    }
  });
  afterAll(async () => {
    const { aliases } = await callAdmin<{ aliases: readonly Alias[] }>('aliases/ListAccountAliases', { account_id: sandboxUser('alice').accountId });
    for (const { alias_id, email } of aliases) if (addresses.includes(email)) await callAdmin('aliases/DeleteAlias', { alias_id });
  });

  /** The outcome of mail to an address. */
  const outcomeOf = async (address: string): Promise<string | undefined> => {
    const { messages } = await callAdmin<{ messages: readonly ReceivedMessage[] }>('mail-feedback/ListReceivedMessages', { address });
    return messages[0]?.recipients?.[0]?.outcome;
  };
  const answer = async (action: keyof typeof letters.actions, address: string, typed?: string): Promise<void> => {
    await page.getByRole('row', { name: address }).getByRole('button', { name: letters.actions[action] }).press('Enter');
    const dialog = page.getByRole('dialog');
    if (typed !== undefined) await dialog.getByRole('textbox').fill(typed);
    await dialog.getByRole('button', { name: letters.actions[action], exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(letters.done(letters.actions[action], 1)).first().waitFor();
    await eventually(async () => expect(await page.getByRole('row', { name: address }).count()).toBe(0));
  };

  test('is counted, tried again, given back and dropped, and the activity says what became of it', async () => {
    const [retried, returned, dropped] = addresses;
    for (const address of addresses) await putIntoDeadLetters([address], { subject: uniqueSubject('Stuck'), text: 'Hello' });

    await open(page, '/queues', words.pages.queues);
    const row = page.getByRole('row', { name: queueName(queue) });
    await row.getByText(queueWords.textOf(queue, 1)).waitFor();
    expect(await violations(page)).toEqual([]);
    await row.getByRole('link').press('Enter');
    await page.getByRole('heading', { level: 1, name: letters.title }).waitFor();
    for (const address of addresses) await page.getByRole('row', { name: address }).getByText(letters.noError).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);

    await answer('RETRY', retried);
    await answer('RETURN', returned);
    await answer('DROP', dropped, queueName(queue));
    await eventually(async () => expect(await outcomeOf(retried)).toBe('DELIVERED'));
    await eventually(async () => expect(await outcomeOf(dropped)).toBe('DROPPED'));
    // The sandbox's SES knows nothing of a message that it did not receive, and refuses to bounce it.
    await eventually(async () => expect(await outcomeOf(returned)).toMatch(/BOUNCED|DROPPED/));
  });
});
