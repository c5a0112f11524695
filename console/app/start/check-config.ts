import type { ConsoleConfig } from '../../../contract/deployment/console.ts';
import { mfaSettings } from '../../../contract/oauth/oauth.ts';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isUrl = (value: unknown): boolean => typeof value === 'string' && URL.canParse(value);

/** The form of each setting. The schema of `ConsoleConfig` needs zod, which the first load leaves out. */
const checks: { readonly [Name in keyof Required<ConsoleConfig>]: (value: unknown) => boolean } = {
  mailDomain: isText,
  region: isText,
  adminApiUrl: isUrl,
  jmapUrl: isUrl,
  webmailUrl: (value) => value === undefined || isUrl(value),
  authUrl: isUrl,
  issuer: isUrl,
  clientId: isText,
  cliClientId: isText,
  mfa: (value) => mfaSettings.some((setting) => setting === value),
};

const wrongSetting = (settings: object): string | undefined => {
  const values = new Map<string, unknown>(Object.entries(settings));
  return Object.entries(checks).find(([name, isRight]) => !isRight(values.get(name)))?.[0];
};

const isConfig = (settings: object): settings is ConsoleConfig => wrongSetting(settings) === undefined;

/** Checks the settings of the console. @throws Error with the first setting that is missing or wrong. */
export const checkConfig = (settings: unknown): ConsoleConfig => {
  if (typeof settings !== 'object' || settings === null) throw new Error('the settings of the console are not a JSON object');
  if (!isConfig(settings)) throw new Error(`the settings of the console have no valid ${wrongSetting(settings)}`);
  return settings;
};
