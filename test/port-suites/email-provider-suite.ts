import type { EmailProvider } from '../../core/aws/ses/ses-email-provider.ts';

/**
 * The specification of {@link EmailProvider}, which every adapter passes.
 * @param registerElsewhere registers a domain in the same AWS account as another application would.
 */
export const emailProviderSuite = (start: () => Promise<EmailProvider>, registerElsewhere: (domain: string) => Promise<void>): void => {
  let provider: EmailProvider;
  beforeAll(async () => {
    provider = await start();
  });

  test('createDomain returns a pending domain with DKIM enabled and three tokens', async () => {
    const created = await provider.createDomain('new.example.test');
    expect(created).toMatchObject({ verification_status: 'PENDING', dkim_status: expect.stringMatching(/^(PENDING|SUCCESS)$/), dkim_enabled: true });
    expect(created.dkimTokens).toHaveLength(3);
    expect((await provider.findDomain('new.example.test'))?.dkimTokens).toEqual(created.dkimTokens);
  });

  test('createDomain returns an existing domain unchanged', async () => {
    const first = await provider.createDomain('twice.example.test');
    expect((await provider.createDomain('twice.example.test')).dkimTokens).toEqual(first.dkimTokens);
  });

  test('createDomain marks the domain as registered by this deployment', async () => {
    expect(await provider.createDomain('own.example.test')).toMatchObject({ isOwn: true });
    expect(await provider.findDomain('own.example.test')).toMatchObject({ isOwn: true });
    expect(await provider.createDomain('own.example.test')).toMatchObject({ isOwn: true });
  });

  test('createDomain returns a domain that another application registered unmarked', async () => {
    await registerElsewhere('foreign.example.test');
    expect(await provider.createDomain('foreign.example.test')).toMatchObject({ isOwn: false });
    expect(await provider.findDomain('foreign.example.test')).toMatchObject({ isOwn: false });
  });

  test('setMailFrom stores the MAIL FROM subdomain', async () => {
    await provider.createDomain('from.example.test');
    expect((await provider.findDomain('from.example.test'))?.mail_from_domain).toBeUndefined();
    await provider.setMailFrom('from.example.test', 'bounce.from.example.test');
    expect((await provider.findDomain('from.example.test'))?.mail_from_domain).toBe('bounce.from.example.test');
    expect((await provider.createDomain('from.example.test')).mail_from_domain).toBe('bounce.from.example.test');
  });

  test('stopFeedbackForwarding stops reports by mail, which a new domain has', async () => {
    expect(await provider.createDomain('reports.example.test')).toMatchObject({ forwardsFeedback: true });
    expect(await provider.findDomain('reports.example.test')).toMatchObject({ forwardsFeedback: true });
    await provider.stopFeedbackForwarding('reports.example.test');
    expect(await provider.findDomain('reports.example.test')).toMatchObject({ forwardsFeedback: false });
  });

  test('removeDomain removes the domain, and ignores an unknown one', async () => {
    await provider.createDomain('gone.example.test');
    await provider.removeDomain('gone.example.test');
    await provider.removeDomain('gone.example.test');
    expect(await provider.findDomain('gone.example.test')).toBeUndefined();
  });

  test('removeDomain leaves a domain that another application registered', async () => {
    await registerElsewhere('kept.example.test');
    await provider.removeDomain('kept.example.test');
    expect(await provider.findDomain('kept.example.test')).toMatchObject({ isOwn: false });
  });

  test('accountStatus returns the sending status and quotas', async () => {
    const status = await provider.accountStatus();
    expect(status).toMatchObject({ sending_enabled: true, enforcement_status: 'HEALTHY', sandbox: !status.production_access_enabled });
    expect(status.quota.max_24h_send).toBeGreaterThan(0);
    expect(status.quota.remaining_24h_send).toBe(Math.max(0, status.quota.max_24h_send! - status.quota.sent_last_24h!));
  });
};
