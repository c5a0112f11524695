import type { Page } from 'playwright-core';
import { catchAllWords, groupWords } from '../../../console/words/pages/groups.ts';
import { words } from '../../../console/words/words.ts';
import type { Group, GroupMember } from '../../../contract/admin/aliases.ts';
import type { Domain } from '../../../contract/admin/domains.ts';
import type { ReceivedMessage } from '../../../contract/admin/received-mail.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { deployed, describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { primaryDomain } from '../primary-domain.ts';
import { sendBySmtp, uniqueSubject } from '../send-by-smtp.ts';
import { callAdmin, consoleBrowser, open, overhang, settled, uniqueName, violations } from './console-browser.ts';

const browser = consoleBrowser();

describeWith('users', 'smtp')('the pages of groups and catch-alls', () => {
  let page: Page;
  let domain: Domain;
  const [local, name] = [uniqueName('sales'), uniqueName('Sales')];
  const people = Array.from({ length: 5 }, (_, index) => uniqueName(`member-${index}`));
  const accounts: string[] = [];
  let members: readonly string[];
  const email = (): string => `${local}@${domain.domain}`;
  const button = (text: string) => page.getByRole('button', { name: text, exact: true });
  const dialog = (title: string) => page.getByRole('dialog', { name: title });
  const groupOf = async (): Promise<Group> =>
    (await callAdmin<{ groups: readonly Group[] }>('aliases/ListGroups', { query: local })).groups.find((each) => each.email === email())!;
  const memberAddresses = async (): Promise<readonly string[]> => {
    const { members: found } = await callAdmin<{ members: readonly GroupMember[] }>('aliases/ListGroupMembers', { group_id: (await groupOf()).group_id });
    return found.map((each) => each.email!).toSorted();
  };

  beforeAll(async () => {
    domain = await primaryDomain(await adminMachineToken());
    for (const local_part of people) {
      const request = { user_id: sandboxUser('alice').userId, name: local_part, local_part, domain_id: domain.id };
      accounts.push((await callAdmin<{ account: { account_id: string } }>('accounts/CreateAccount', request)).account.account_id);
    }
    members = people.map((each) => `${each}@${domain.domain}`).toSorted();
    page = await browser.signedInPage({ bypassCSP: true, reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    for (const account_id of accounts) await callAdmin('accounts/DeleteAccount', { account_id });
  });

  test('make a group, and add people of whom one is mistyped', async () => {
    await open(page, '/', words.pages.overview);
    await page.getByRole('navigation').getByRole('link', { name: words.pages.groups, exact: true }).click();
    await button(groupWords.create).first().click();
    await page.getByLabel('Address before the @').fill(local);
    await page.getByLabel('Domain', { exact: true }).click();
    await page.getByRole('option').filter({ hasText: domain.domain }).first().click();
    await page.getByLabel('Name', { exact: false }).first().fill(name);
    await button(groupWords.createAction).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('The group has no member').waitFor();

    await button(groupWords.addMembers).first().click();
    const adding = dialog(groupWords.addMembers);
    const mistyped = `nobody-${local}@${domain.domain}`;
    await adding.getByRole('textbox').fill(`${members.slice(0, 3).join(', ')}\n${mistyped} ${members[3]!}`);
    await adding.getByRole('button', { name: groupWords.addMembers }).dblclick();
    await adding.getByText(groupWords.refused).waitFor();
    expect(await adding.getByRole('textbox').inputValue()).toBe(mistyped);
    await settled(page);
    expect(await violations(page)).toEqual([]);
    expect(await memberAddresses()).toEqual(members.slice(0, 4));
    await adding.getByRole('textbox').fill(members[4]!);
    await adding.getByRole('button', { name: groupWords.addMembers }).click();
    await adding.waitFor({ state: 'detached' });
    expect(await memberAddresses()).toEqual(members);
  });

  test('find the group by the search at the top', async () => {
    await open(page, '/', words.pages.overview);
    await page.getByRole('combobox', { name: words.search.label }).fill(name);
    await page.getByRole('option').filter({ hasText: email() }).first().click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  });

  test('the page of the group and the list are accessible, and fit a phone', async () => {
    for (const [path, title] of [
      [`/groups/${(await groupOf()).group_id}`, name],
      ['/groups', words.pages.groups],
      ['/groups/create', groupWords.create],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await open(page, path, title);
      await settled(page);
      expect(await violations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await eventually(async () => expect(await overhang(page)).toBe(0));
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('see who got a message to the group', async () => {
    const subject = uniqueSubject('To all');
    await sendBySmtp([email()], { subject, text: 'Hello' });
    const received = await eventually(async () => {
      const { messages } = await callAdmin<{ messages: readonly ReceivedMessage[] }>('mail-feedback/ListReceivedMessages', {
        address: email(),
        subject_contains: subject,
      });
      expect(messages.flatMap(({ recipients = [] }) => recipients.map(({ outcome }) => outcome)).toSorted()).toEqual([
        ...members.map(() => 'DELIVERED'),
        'GROUP',
      ]);
      return messages[0]!;
    });
    await open(page, `/activity/received/${received.received_id}`, 'Message from');
    await page.getByRole('heading', { level: 2 }).getByRole('link', { name: email() }).waitFor();
    await page.getByText('To a group', { exact: true }).first().waitFor();
    for (const member of members) await page.getByRole('heading', { level: 2 }).getByRole('link', { name: member }).waitFor();
    expect(await page.getByText('By the group:').count()).toBe(members.length);
    await settled(page);
    expect(await violations(page)).toEqual([]);
  });

  test('remove a member on the page of the group, and another on that of the account', async () => {
    await open(page, `/groups/${(await groupOf()).group_id}`, name);
    await button(`${groupWords.removeMember} ${people[0]!}`).click();
    await dialog(groupWords.removeMember).getByRole('button', { name: groupWords.removeMember }).click();
    await page.getByText(groupWords.memberRemoved('')).first().waitFor();
    await open(page, `/accounts/${accounts[1]!}`, people[1]!);
    await button(`${groupWords.leave} ${email()}`).click();
    await dialog(groupWords.leave).getByRole('button', { name: groupWords.leave }).click();
    await dialog(groupWords.leave).waitFor({ state: 'detached' });
    expect(await memberAddresses()).toEqual(members.filter((each) => ![people[0]!, people[1]!].some((person) => each.startsWith(person))));
    await button(groupWords.join).click();
    const joining = dialog(groupWords.join);
    await joining.getByLabel('Group').click();
    await page.getByRole('option').filter({ hasText: email() }).first().click();
    await joining.getByRole('button', { name: groupWords.join }).click();
    await page.getByRole('button', { name: `${groupWords.leave} ${email()}` }).waitFor();
  });

  test('set a catch-all, see it in the search for an address, and end it', async () => {
    await open(page, `/domains/${domain.id}`, domain.domain);
    await button(catchAllWords.set).click();
    const setting = dialog(catchAllWords.set);
    await setting.getByText(catchAllWords.text).waitFor();
    await setting.getByLabel('Address').fill(email());
    await setting.getByRole('button', { name: catchAllWords.set }).click();
    await page.getByText(catchAllWords.goesTo).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);

    await page.goto(`${deployed.outputs['consoleUrl']}/activity?find=${encodeURIComponent(`${uniqueName('invented')}@${domain.domain}`)}`);
    await page.getByText('its domain has a catch-all').waitFor();
    await page.getByRole('link', { name: email() }).waitFor();
    await page.getByRole('link', { name: people[2]! }).waitFor();
    await settled(page);
    expect(await violations(page)).toEqual([]);

    await open(page, `/domains/${domain.id}`, domain.domain);
    await button(catchAllWords.end).click();
    await dialog(catchAllWords.endTitle).getByRole('button', { name: catchAllWords.endTitle }).click();
    await button(catchAllWords.set).waitFor();
  });

  test('add a member outside, who is a plain address', async () => {
    const outside = `${uniqueName('partner')}@elsewhere.test`;
    await open(page, `/groups/${(await groupOf()).group_id}`, name);
    await button(groupWords.addMembers).click();
    await dialog(groupWords.addMembers).getByRole('textbox').fill(`Partner <${outside}>`);
    await dialog(groupWords.addMembers).getByRole('button', { name: groupWords.addMembers }).click();
    await page.getByRole('row', { name: outside }).nth(1).waitFor();
    expect(await page.getByRole('row', { name: outside }).getByRole('link').count()).toBe(0);
    expect(await memberAddresses()).toContain(outside);
  });

  test('delete the group by its address', async () => {
    await open(page, `/groups/${(await groupOf()).group_id}`, name);
    await button(groupWords.remove).click();
    await dialog(groupWords.remove).getByRole('textbox').fill(email());
    await dialog(groupWords.remove).getByRole('button', { name: groupWords.remove }).click();
    await page.getByRole('heading', { level: 1, name: words.pages.groups }).waitFor();
    expect(await groupOf()).toBeUndefined();
  });
});
