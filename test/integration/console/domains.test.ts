import { Route53Client } from '@aws-sdk/client-route-53';
import type { Page } from 'playwright-core';
import type { Domain } from '../../../contract/admin/domains.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { roleLocalParts } from '../../../contract/values/role-addresses.ts';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { createHostedZone, type HostedZone } from '../hosted-zone.ts';
import { callAdmin, consoleBrowser, intercept, open, uniqueName } from './console-browser.ts';

const browser = consoleBrowser();

/** Reads a domain from the API by its name. */
const findDomain = async (name: string): Promise<Domain | undefined> =>
  (await callAdmin<{ readonly domains: readonly Domain[] }>('domains/ListDomains', { page_size: 100 })).domains.find(({ domain }) => domain === name);

const removeDomain = async (name: string): Promise<void> => {
  const domain = await findDomain(name);
  if (domain) await callAdmin('domains/RemoveDomain', { id: domain.id });
};

describeWith('users')('the pages of domains', () => {
  let page: Page;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const title = (name: string) => page.getByRole('heading', { level: 1, name });
  beforeAll(async () => {
    page = await browser.signedInPage();
  });

  test('add a domain whose DNS is elsewhere, continue its set-up later, and remove it by its name', async () => {
    const name = `${uniqueName('console')}.example`;
    await open(page, '/domains/add', 'Add a domain');
    await page.getByLabel('Domain name').fill('not a domain');
    await button('Add the domain').click();
    await page.getByText('Domain name must').first().waitFor();
    await page.getByLabel('Domain name').fill(name);
    await button('Add the domain').click();
    await title('DNS records').waitFor();
    await page.getByText(`_dmarc.${name}`).waitFor();
    await button('I have added the records').click();
    await title('Check').waitFor();
    await page.getByText(`${name} is not live yet`).waitFor();
    await page.getByText('Checked every').waitFor();

    await button('Finish later').click();
    await title(name).waitFor();
    expect(await page.evaluate<number>('window.scrollY')).toBe(0);
    await button('Continue the set-up').click();
    await title('DNS records').waitFor();
    await page.goBack();
    await title(name).waitFor();

    await button('Remove the domain').click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Remove the domain' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(name);
    await remove.click();
    await title('Domains').waitFor();
    expect(await findDomain(name)).toBeUndefined();
  });

  test('say that nobody gets mail to postmaster and abuse, and create a mailbox for it', async () => {
    const email = sandboxUser('alice').email;
    const { id, domain } = (await findDomain(domainOf(email)))!;
    const localPart = uniqueName('postmaster');
    // The admin of the sandbox has a mailbox, which gets this mail.
    const end = await intercept(page, 'domains/GetDomain', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { readonly domain: Domain };
      return route.fulfill({ response, json: { domain: { ...answer.domain, role_mail: roleLocalParts.map((role) => ({ address: `${role}@${domain}` })) } } });
    });
    await open(page, `/domains/${id}`, domain);
    await page.getByText(/Nobody gets mail to .*postmaster@.*abuse@/).waitFor();
    await button('Create a mailbox for it').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Address before the @').inputValue()).toBe('postmaster');
    await dialog.getByLabel('Address before the @').fill(localPart);
    await dialog.getByLabel('User').click();
    await page.getByRole('option').filter({ hasText: email }).first().click();
    await dialog.getByRole('button', { name: 'Create a mailbox for it' }).click();
    await page.getByText(`${localPart}@${domain} was created`).waitFor();
    await end();
    await page.reload();
    await title(domain).waitFor();
    expect(await page.getByText('Nobody gets mail to').count()).toBe(0);
    expect(await callAdmin('accounts/FindAddress', { address: `${localPart}@${domain}` })).toMatchObject({ kind: 'ACCOUNT', incoming: 'DELIVERED' });
  });
});

describeWith('emulator', 'users')('the set-up of a domain that Route 53 has', () => {
  const name = `${uniqueName('live')}.example`;
  const oldServer = { type: 'MX', value: '10 mx.old.example.' } as const;
  let client: Route53Client;
  let zone: HostedZone;
  let page: Page;
  const button = (text: string) => page.getByRole('button', { name: text, exact: true });
  beforeAll(async () => {
    client = new Route53Client(awsClientConfig(deployed));
    zone = await createHostedZone(client, name, [oldServer]);
    page = await browser.signedInPage();
  });
  afterAll(async () => {
    await removeDomain(name);
    await zone.remove();
    client.destroy();
  });

  test('shows conflicting records, writes the records by one button, becomes live by itself, and sends a test mail', async () => {
    await open(page, '/domains', 'Domains');
    await button('Add a domain').first().click();
    await page.getByLabel('Domain name').fill(name);
    await button('Add the domain').click();
    await page.getByText('Other records conflict').waitFor();
    await button('Apply to Route 53').click();
    await page.getByText('which Postrider did not write').first().waitFor();
    expect(await zone.values(`_dmarc.${name}`, 'TXT')).toBeDefined();

    await zone.removeForeign(oldServer);
    await page.reload();
    await page.getByText(/Applying writes \d+ record/).waitFor();
    await button('Apply to Route 53').click();
    await page.getByText(`${name} is live: it sends and receives`).waitFor();
    expect(await zone.values(name, 'MX')).toHaveLength(1);

    await button('Next').click();
    await page.getByLabel('To', { exact: true }).fill(sandboxUser('alice').email);
    await button('Send a test mail').click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    await button('Finish').click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText(`${name} is live: it sends and receives`).waitFor();
  });
});
