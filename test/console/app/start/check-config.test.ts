import { checkConfig } from '../../../../console/app/start/check-config.ts';
import { ConsoleConfig } from '../../../../contract/deployment/console.ts';

const config: ConsoleConfig = {
  mailDomain: 'example.test',
  region: 'us-east-1',
  adminApiUrl: 'https://admin.example.test',
  jmapUrl: 'https://jmap.example.test',
  webmailUrl: 'https://mail.example.test',
  authUrl: 'https://auth.example.test',
  issuer: 'https://issuer.example.test',
  clientId: 'console',
  cliClientId: 'cli',
  mfa: 'required',
};

test('settings that the schema accepts are accepted', () => {
  const { webmailUrl: _, ...required } = config;
  for (const settings of [config, required]) {
    expect(ConsoleConfig.parse(settings)).toEqual(settings);
    expect(checkConfig(settings)).toEqual(settings);
  }
});

test.each(Object.keys(config))('the setting %s is named when it is wrong', (name) => {
  const settings = { ...config, [name]: 5 };
  expect(ConsoleConfig.safeParse(settings).success).toBe(false);
  expect(() => checkConfig(settings)).toThrow(`the settings of the console have no valid ${name}`);
});

test.each([undefined, null, '<!doctype html>'])('a document that is no JSON object (%s) is refused in words', (settings) => {
  expect(() => checkConfig(settings)).toThrow('the settings of the console are not a JSON object');
});
