import { ContextError, contextKeys, deploymentContext, hostName } from '../../lib/deployment-context.ts';

const refusal = (values: Readonly<Record<string, unknown>>): string => {
  try {
    deploymentContext({ domain: 'example.com', ...values });
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(ContextError);
    return (error as Error).message;
  }
};

describe('the deployment’s context', () => {
  test('accepts at most five ARNs of accounts, roles and users as supportPrincipals, without wildcards', () => {
    const good = ['arn:aws:iam::111122223333:root', 'arn:aws:iam::111122223333:role/team/supporters', 'arn:aws-cn:iam::111122223333:user/grace'];
    expect(deploymentContext({ domain: 'example.com', supportPrincipals: JSON.stringify(good) }).supportPrincipals).toEqual(good);
    for (const bad of [
      '*',
      'arn:aws:iam::*:root',
      'arn:aws:iam::111122223333:role/*',
      '111122223333',
      'arn:aws:sts::111122223333:assumed-role/a/b',
      `arn:aws:iam::111122223333:role/${'x'.repeat(120)}`,
    ]) {
      expect(refusal({ supportPrincipals: JSON.stringify([bad]) })).toContain('supportPrincipals');
    }
    expect(refusal({ supportPrincipals: JSON.stringify(Array(6).fill(good[0])) })).toContain('supportPrincipals');
  });

  test('requires only the domain and has defaults for the rest', () => {
    expect(deploymentContext({ domain: 'example.com' })).toEqual({
      domain: 'example.com',
      headlessClients: [],
      dynamicRegistration: true,
      mfa: 'required',
      receiptRules: 'addresses',
      passkeys: false,
      encryptTopics: false,
      removalPolicy: 'retain',
      publicUrls: {},
      supportPrincipals: [],
      supportTrail: 'deployment',
      webPushNetworks: [],
      lambdaConcurrency: 10,
      maxOctetsPerAccount: 50_000_000_000,
      maxEmailsPerAccount: 1_000_000,
      deletedMailRetentionDays: 14,
      recordSubjects: true,
      forwardOutside: true,
      webmail: true,
      webmailHost: 'mail',
      maxRecipientsPerMinute: 500,
      maxRecipientsPerDay: 5000,
      stackName: 'Postrider',
      consoleOrigins: [],
    });
  });

  test('takes lists and objects as JSON text from the command line, and as JSON from cdk.json', () => {
    const clients = [{ name: 'JmapHeadless', audiences: ['jmapApi'], permissions: ['MAIL_READ'] }];
    for (const headlessClients of [clients, JSON.stringify(clients)]) {
      expect(deploymentContext({ domain: 'example.com', headlessClients }).headlessClients).toEqual(clients);
    }
    for (const dynamicRegistration of [false, 'false']) {
      expect(deploymentContext({ domain: 'example.com', dynamicRegistration }).dynamicRegistration).toBe(false);
    }
    for (const dynamicRegistration of [true, 'true']) {
      expect(deploymentContext({ domain: 'example.com', dynamicRegistration }).dynamicRegistration).toBe(true);
    }
  });

  test('converts e-mail addresses to lower case', () => {
    expect(deploymentContext({ domain: 'example.com', adminEmail: 'Ada@Example.com' }).adminEmail).toBe('ada@example.com');
  });

  test('ignores the CDK’s own keys', () => {
    expect(refusal({ '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:enable-path-metadata': true })).toBe('accepted');
  });
});

describe('the message for an invalid value names the expected one', () => {
  test.each([
    ['no domain', { domain: undefined }, 'domain: pass the mail domain, a host name of two labels or more in lower case, as in -c domain=example.com'],
    ['a domain of one label', { domain: 'localhost' }, 'domain: pass the mail domain'],
    ['a URL as the domain', { domain: 'https://example.com' }, 'domain: pass the mail domain'],
    ['capitals in the domain', { domain: 'Example.com' }, 'in lower case'],
    [
      'a domain that is nobody’s',
      { domain: 'example.invalid' },
      'domain: pass the mail domain, a host name of two labels or more in lower case: the domain invalid is nobody’s (RFC 6761 §6.4)',
    ],
    ['a prefix of two labels', { prefix: 'a.b' }, 'prefix: pass one label of letters, digits and hyphens in lower case, as in -c prefix=staging'],
    ['an empty prefix', { prefix: '' }, 'prefix: pass one label'],
    ['a zone’s name as its id', { hostedZoneId: 'example.com' }, 'hostedZoneId: pass the id of the Route 53 hosted zone'],
    [
      'an e-mail address without a domain',
      { adminEmail: 'ada' },
      'adminEmail: pass the e-mail address of the first admin, as in -c adminEmail=ada@elsewhere.example',
    ],
    [
      'an address of a released user as the first admin',
      { adminEmail: 'ada@released.invalid' },
      'adminEmail: pass the e-mail address of the first admin: the domain invalid is nobody’s (RFC 6761 §6.4)',
    ],
    [
      'an address below invalid in capitals',
      { adminEmail: 'Ada@Mail.Example.INVALID' },
      'adminEmail: pass the e-mail address of the first admin: the domain invalid is nobody’s',
    ],
    ['another removal policy', { removalPolicy: 'snapshot' }, 'removalPolicy: pass retain or destroy'],
    ['a flag that is no flag', { dynamicRegistration: 'yes' }, 'dynamicRegistration: pass true or false'],
    ['a zone that is no id', { dnsZoneIds: '["example.com"]' }, 'dnsZoneIds[0]: pass a JSON list of up to 20 ids of Route 53 hosted zones'],
    ['no zone', { dnsZoneIds: '[]' }, 'dnsZoneIds: pass a JSON list of up to 20 ids of Route 53 hosted zones'],
    ['receipt rules of something else', { receiptRules: 'subdomains' }, 'receiptRules: pass addresses or domains'],
    ['a second factor for some', { mfa: 'optional' }, 'mfa: pass required or off'],
    ['a name as the sender of sign-in mail', { signInMailFrom: 'no-reply' }, 'signInMailFrom: pass an e-mail address at the mail domain'],
    [
      'sign-in mail from another domain',
      { signInMailFrom: 'no-reply@example.org' },
      'signInMailFrom: pass an address at the mail domain, such as no-reply@example.com',
    ],
    ['a host name of another API for the web mail', { webmailHost: 'jmap' }, 'webmailHost: pass the first label'],
    ['no flag for the subjects of received mail', { recordSubjects: 'never' }, 'recordSubjects: pass true or false'],
    ['no flag for forwarding to the outside', { forwardOutside: 'some' }, 'forwardOutside: pass true or false'],
    ['a trail of somebody else', { supportTrail: 'organization' }, 'supportTrail: pass deployment or account'],
    ['no flag for encrypted topics', { encryptTopics: 'kms' }, 'encryptTopics: pass true or false'],
    ['no flag for passkeys', { passkeys: 'yes' }, 'passkeys: pass true or false'],
    ['passkeys with clients that register themselves', { passkeys: 'true', authDomainPrefix: 'example-mail' }, 'passkeys: pass dynamicRegistration=false too.'],
    ['passkeys on a page whose name may change', { passkeys: 'true', dynamicRegistration: 'false' }, 'passkeys: pass authDomainPrefix too.'],
    ['no JSON', { headlessClients: '[{' }, 'headlessClients: pass a JSON list of {name, audiences, permissions}'],
    ['an object for a list', { headlessClients: '{}' }, 'headlessClients: pass a JSON list'],
    ['an address as a network', { webPushNetworks: '["10.1.0.0"]' }, 'webPushNetworks[0]: pass a JSON list of up to 20 networks in CIDR notation'],
    [
      'an origin with a path',
      { consoleOrigins: '["https://console.example.com/"]' },
      'consoleOrigins[0]: is an origin such as https://console.example.com, without a path',
    ],
    ['a concurrency below that of a new account', { lambdaConcurrency: '9' }, 'lambdaConcurrency: pass the account’s limit of concurrent'],
    ['half a Lambda', { lambdaConcurrency: '12.5' }, 'lambdaConcurrency: pass the account’s limit'],
    ['an empty concurrency', { lambdaConcurrency: '' }, 'lambdaConcurrency: pass the account’s limit'],
    [
      'a retention beyond that of the tombstones',
      { deletedMailRetentionDays: '36' },
      'deletedMailRetentionDays: pass the days for which deleted mail, accounts and users can be restored, 0 to 35',
    ],
    [
      'a negative retention',
      { deletedMailRetentionDays: -1 },
      'deletedMailRetentionDays: pass the days for which deleted mail, accounts and users can be restored, 0 to 35',
    ],
    [
      'half a day of retention',
      { deletedMailRetentionDays: '1.5' },
      'deletedMailRetentionDays: pass the days for which deleted mail, accounts and users can be restored, 0 to 35',
    ],
    [
      'an empty retention',
      { deletedMailRetentionDays: '' },
      'deletedMailRetentionDays: pass the days for which deleted mail, accounts and users can be restored, 0 to 35',
    ],
    ...['0', '3651', '1.5', '', 'a year', -1].map(
      (backupDays) =>
        [
          `backups for ${JSON.stringify(backupDays)} days`,
          { backupDays },
          'backupDays: pass the days for which AWS Backup keeps a daily backup of tables and mail bucket, 1 to 3650',
        ] as [string, Record<string, unknown>, string],
    ),
    ['an origin without TLS', { consoleOrigins: '["http://console.example.com"]' }, 'consoleOrigins[0]: is an origin'],
    ['a URL with a slash at its end', { publicUrls: '{"jmap":"https://mail.example.com/"}' }, 'publicUrls.jmap: is a URL that begins with https:// or http://'],
    ['http for a WebSocket', { publicUrls: '{"webSocket":"https://mail.example.com"}' }, 'publicUrls.webSocket: is a URL that begins with wss:// or ws://'],
    [
      'an unknown public URL',
      { publicUrls: '{"imap":"https://mail.example.com"}' },
      'publicUrls: pass a JSON object with any of adminApi, console, webmail, jmap',
    ],
    ['a name that Cognito refuses', { authDomainPrefix: 'my-aws-mail' }, 'authDomainPrefix: pass 3 to 63 letters'],
    ['a stack name with a dot', { stackName: 'post.rider' }, 'stackName: pass 1 to 40 letters'],
    ['a key that does not exist', { headlesClients: '[]' }, 'headlesClients: there is no such key; there are domain, prefix'],
  ])('%s', (_, values, words) => {
    expect(refusal(values)).toContain(words);
  });

  test.each([
    [
      'a client name with a hyphen',
      { name: 'jmap-headless', audiences: ['jmapApi'], permissions: ['MAIL_READ'] },
      'headlessClients[0].name: is letters and digits',
    ],
    ...['Console', 'Cli', 'CLI', 'Client'].map((name): [string, object, string] => [
      `a name that the stack has itself, ${name}`,
      { name, audiences: ['jmapApi'], permissions: ['MAIL_READ'] },
      'headlessClients[0].name: is a name other than Console, Webmail, Cli, Client, which the stack has itself',
    ]),
    ['an unknown audience', { name: 'A', audiences: ['imapApi'], permissions: ['MAIL_READ'] }, 'headlessClients[0].audiences[0]: is one of adminApi, jmapApi'],
    ['no audience', { name: 'A', audiences: [], permissions: ['MAIL_READ'] }, 'headlessClients[0].audiences: lists one audience or more'],
    [
      'an unknown permission',
      { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_ALL'] },
      'headlessClients[0].permissions[0]: is one of ADMIN, MAIL_READ',
    ],
    [
      'a permission of another audience',
      { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_READ', 'ADMIN'] },
      'headlessClients[0]: has the permission ADMIN without its audience',
    ],
    [
      'an audience without a permission',
      { name: 'A', audiences: ['jmapApi', 'adminApi'], permissions: ['MAIL_READ'] },
      'headlessClients[0]: has the audience adminApi without one of its permissions (ADMIN)',
    ],
    [
      'a secret',
      { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_READ'], secret: 'x' },
      'headlessClients[0]: is an object with name, audiences and permissions, and nothing else',
    ],
  ])('of a headless client: %s', (_, client, words) => {
    expect(refusal({ headlessClients: JSON.stringify([client]) })).toContain(words);
  });

  test('refuses two headless clients of one name', () => {
    const client = { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_READ'] };
    expect(refusal({ headlessClients: [client, client] })).toContain('headlessClients: each client has a name of its own');
  });

  test('lists all invalid values at once', () => {
    const words = refusal({ prefix: 'A', removalPolicy: 'x' });
    expect(words).toContain('prefix: ');
    expect(words).toContain('removalPolicy: ');
  });

  test('gives valid examples', () => {
    const others = { dynamicRegistration: 'false', authDomainPrefix: 'example-mail' };
    for (const [name, { example }] of Object.entries(contextKeys)) {
      const value = example.slice(name.length + 1).replaceAll("'", '');
      expect(example.startsWith(`${name}=`)).toBe(true);
      expect(refusal({ ...others, [name]: value })).toBe('accepted');
    }
  });
});

test('a host name has the prefix between its first label and the domain', () => {
  expect(hostName('api', { domain: 'example.com' })).toBe('api.example.com');
  expect(hostName('api', { domain: 'example.com', prefix: 'staging' })).toBe('api.staging.example.com');
});
