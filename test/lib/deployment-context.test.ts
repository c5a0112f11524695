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
  test('supporters are ARNs of accounts, roles and users, without wildcards, five at most', () => {
    const good = ['arn:aws:iam::111122223333:root', 'arn:aws:iam::111122223333:role/team/supporters', 'arn:aws-cn:iam::111122223333:user/grace'];
    expect(deploymentContext({ domain: 'example.com', supportPrincipals: JSON.stringify(good) }).supportPrincipals).toEqual(good);
    for (const bad of ['*', 'arn:aws:iam::*:root', 'arn:aws:iam::111122223333:role/*', '111122223333', 'arn:aws:sts::111122223333:assumed-role/a/b', `arn:aws:iam::111122223333:role/${'x'.repeat(120)}`]) {
      expect(refusal({ supportPrincipals: JSON.stringify([bad]) })).toContain('supportPrincipals');
    }
    expect(refusal({ supportPrincipals: JSON.stringify(Array(6).fill(good[0])) })).toContain('supportPrincipals');
  });

  test('needs a domain only; the rest has defaults', () => {
    expect(deploymentContext({ domain: 'example.com' })).toEqual({
      domain: 'example.com', headlessClients: [], dynamicRegistration: true, removalPolicy: 'retain', publicUrls: {}, supportPrincipals: [], webPushNetworks: [], stackName: 'Postrider', consoleOrigins: ['https://console.example.com'],
    });
  });

  test('the console is expected under the prefix when there is one', () => {
    expect(deploymentContext({ domain: 'example.com', prefix: 'staging' }).consoleOrigins).toEqual(['https://console.staging.example.com']);
  });

  test('lists and objects come as JSON from the command line, and as themselves from cdk.json', () => {
    const clients = [{ name: 'JmapHeadless', audiences: ['jmapApi'], permissions: ['MAIL_READ'] }];
    for (const headlessClients of [clients, JSON.stringify(clients)]) expect(deploymentContext({ domain: 'example.com', headlessClients }).headlessClients).toEqual(clients);
    for (const dynamicRegistration of [false, 'false']) expect(deploymentContext({ domain: 'example.com', dynamicRegistration }).dynamicRegistration).toBe(false);
    for (const dynamicRegistration of [true, 'true']) expect(deploymentContext({ domain: 'example.com', dynamicRegistration }).dynamicRegistration).toBe(true);
  });

  test('addresses are kept in lower case', () => {
    expect(deploymentContext({ domain: 'example.com', adminEmail: 'Ada@Example.com' }).adminEmail).toBe('ada@example.com');
  });

  test('what the CDK itself puts into the context is left alone', () => {
    expect(refusal({ '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:enable-path-metadata': true })).toBe('accepted');
  });
});

describe('a wrong value is refused in words that say what to pass', () => {
  test.each([
    ['no domain', { domain: undefined }, 'domain: pass the mail domain, a host name of two labels or more in lower case, as in -c domain=example.com'],
    ['one label', { domain: 'localhost' }, 'domain: pass the mail domain'],
    ['a URL for a domain', { domain: 'https://example.com' }, 'domain: pass the mail domain'],
    ['capitals', { domain: 'Example.com' }, 'in lower case'],
    ['a prefix of two labels', { prefix: 'a.b' }, 'prefix: pass one label of letters, digits and hyphens in lower case, as in -c prefix=staging'],
    ['an empty prefix', { prefix: '' }, 'prefix: pass one label'],
    ['a zone’s name for its id', { hostedZoneId: 'example.com' }, 'hostedZoneId: pass the id of the Route 53 hosted zone'],
    ['an address without a domain', { adminEmail: 'ada' }, 'adminEmail: pass the e-mail address of the first admin, as in -c adminEmail=ada@example.com'],
    ['another removal policy', { removalPolicy: 'snapshot' }, 'removalPolicy: pass retain or destroy'],
    ['a flag that is no flag', { dynamicRegistration: 'yes' }, 'dynamicRegistration: pass true or false'],
    ['no JSON', { headlessClients: '[{' }, 'headlessClients: pass a JSON list of {name, audiences, permissions}'],
    ['an object for a list', { headlessClients: '{}' }, 'headlessClients: pass a JSON list'],
    ['a network that is none', { webPushNetworks: '["10.1.0.0"]' }, 'webPushNetworks[0]: pass a JSON list of up to 20 networks in CIDR notation'],
    ['an origin with a path', { consoleOrigins: '["https://console.example.com/"]' }, 'consoleOrigins[0]: is an origin such as https://console.example.com, without a path'],
    ['an origin without TLS', { consoleOrigins: '["http://console.example.com"]' }, 'consoleOrigins[0]: is an origin'],
    ['a URL with a slash at its end', { publicUrls: '{"jmap":"https://mail.example.com/"}' }, 'publicUrls.jmap: is a URL that begins with https:// or http://'],
    ['http for a WebSocket', { publicUrls: '{"webSocket":"https://mail.example.com"}' }, 'publicUrls.webSocket: is a URL that begins with wss:// or ws://'],
    ['a public URL of nothing', { publicUrls: '{"console":"https://mail.example.com"}' }, 'publicUrls: pass a JSON object with any of adminApi, jmap'],
    ['a name that Cognito refuses', { authDomainPrefix: 'my-aws-mail' }, 'authDomainPrefix: pass 3 to 63 letters'],
    ['a stack name with a dot', { stackName: 'post.rider' }, 'stackName: pass 1 to 40 letters'],
    ['a key that does not exist', { headlesClients: '[]' }, 'headlesClients: there is no such key; there are domain, prefix'],
  ])('%s', (_, values, words) => {
    expect(refusal(values)).toContain(words);
  });

  test.each([
    ['a name that can’t name an output', { name: 'jmap-headless', audiences: ['jmapApi'], permissions: ['MAIL_READ'] }, 'headlessClients[0].name: is letters and digits'],
    ['an unknown audience', { name: 'A', audiences: ['imapApi'], permissions: ['MAIL_READ'] }, 'headlessClients[0].audiences[0]: is one of adminApi, jmapApi'],
    ['no audience', { name: 'A', audiences: [], permissions: ['MAIL_READ'] }, 'headlessClients[0].audiences: lists one audience or more'],
    ['an unknown permission', { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_ALL'] }, 'headlessClients[0].permissions[0]: is one of ADMIN, MAIL_READ'],
    ['a permission of another audience', { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_READ', 'ADMIN'] }, 'headlessClients[0]: has the permission ADMIN without its audience'],
    ['an audience that nothing is permitted on', { name: 'A', audiences: ['jmapApi', 'adminApi'], permissions: ['MAIL_READ'] }, 'headlessClients[0]: has the audience adminApi without one of its permissions (ADMIN)'],
    ['a secret', { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_READ'], secret: 'x' }, 'headlessClients[0]: is an object with name, audiences and permissions, and nothing else'],
  ])('of a headless client: %s', (_, client, words) => {
    expect(refusal({ headlessClients: JSON.stringify([client]) })).toContain(words);
  });

  test('two clients of one name', () => {
    const client = { name: 'A', audiences: ['jmapApi'], permissions: ['MAIL_READ'] };
    expect(refusal({ headlessClients: [client, client] })).toContain('headlessClients: each client has a name of its own');
  });

  test('all wrong values are told at once', () => {
    const words = refusal({ prefix: 'A', removalPolicy: 'x' });
    expect(words).toContain('prefix: ');
    expect(words).toContain('removalPolicy: ');
  });

  test('the examples that are given are right', () => {
    for (const [name, { example }] of Object.entries(contextKeys)) {
      const value = example.slice(name.length + 1).replaceAll("'", '');
      expect(example.startsWith(`${name}=`)).toBe(true);
      expect(refusal({ [name]: value })).toBe('accepted');
    }
  });
});

test('the prefix label stands between the first label and the domain', () => {
  expect(hostName('api', { domain: 'example.com' })).toBe('api.example.com');
  expect(hostName('api', { domain: 'example.com', prefix: 'staging' })).toBe('api.staging.example.com');
});
