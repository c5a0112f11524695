import { z } from 'zod';
import { personScopes } from './oauth.ts';

/**
 * Dynamic client registration, POST /oauth/register (RFC 7591; docs/specification.md#client-registration): what may be asked for, what is
 * granted, what is refused and how often somebody may ask.
 */
export const registrationLimits = {
  /** Octets of the body: ten of the longest redirect URIs, however they are escaped, with room for the rest. */
  bodySize: 65_536,
  /** Characters (code points) of client_name. */
  clientNameLength: 128,
  redirectUris: 10,
  /** Characters of a redirect URI; Cognito takes no longer one. */
  redirectUriLength: 1024,
  /** Characters of any other text that a client says of itself. */
  textLength: 2048,
  contacts: 10,
  /** New registrations of the whole deployment within {@link windowSeconds}; those that were known already are not counted (docs/specification.md#client-registration). */
  newInWindow: 20,
  windowSeconds: 24 * 60 * 60,
} as const;

/** What every registered client is, whatever it asked for (docs/specification.md#client-registration; RFC 7591 §2 lets a server replace what was asked for, and the answer says so). */
export const grantedToClients = {
  scope: personScopes.join(' '),
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const;

/**
 * The hosts to which http and https may lead (docs/specification.md#client-registration), as they must be spelt, in any case (RFC 8252 §7.3); for the command line and the
 * console's origins too they are where http is good enough.
 */
export const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'] as const;

/**
 * Schemes that are nobody's private-use scheme (RFC 8252 §7.1), so no redirect may lead there. The first lines are what a browser or a system would run, render or
 * install; the others belong to protocols and applications that everybody has, so that an authorization code would go to somebody else.
 */
export const forbiddenSchemes: ReadonlySet<string> = new Set([
  'javascript', 'data', 'file', 'vbscript', 'livescript', 'mocha', 'blob', 'filesystem', 'about', 'view-source', 'jar', 'mhtml', 'mk', 'res', 'resource', 'wyciwyg',
  'chrome', 'chrome-error', 'chrome-search', 'chrome-untrusted', 'chrome-native', 'devtools', 'edge', 'brave', 'opera', 'vivaldi',
  'intent', 'android-app', 'shell', 'search', 'search-ms', 'itms', 'itms-apps', 'itms-appss', 'itms-services', 'market', 'prefs', 'app-prefs', 'help', 'hcp',
  'ws', 'wss', 'ftp', 'ftps', 'sftp', 'tftp', 'gopher', 'http+unix', 'ldap', 'ldaps', 'ldapi', 'smb', 'cifs', 'afp', 'nfs', 'dav', 'webdav', 'webdavs', 'dict', 'finger',
  'ssh', 'telnet', 'rlogin', 'tn3270', 'rdp', 'vnc', 'git', 'svn', 'rsync', 'rtsp', 'rtsps', 'rtmp', 'mms', 'magnet', 'feed', 'webcal',
  'mailto', 'tel', 'sms', 'smsto', 'mmsto', 'callto', 'facetime', 'facetime-audio', 'sip', 'sips', 'im', 'xmpp', 'irc', 'ircs', 'skype', 'geo', 'maps',
  'news', 'nntp', 'snews', 'imap', 'imaps', 'pop', 'smtp', 'urn', 'tag', 'cid', 'mid', 'acct', 'did', 'dns', 'coap', 'coaps',
]);

/** Families of such schemes: those of Windows and Office, and those of browsers' extensions, which any page can name. */
export const forbiddenSchemeFamilies = /^ms-|-extension$/;

const optionalText = (name: string) => z.string(`${name} is text`).max(registrationLimits.textLength, `${name} is at most ${registrationLimits.textLength} characters`).optional();
const optionalTexts = (name: string, most: number) => {
  const words = `${name} is a list of at most ${most} texts`;
  return z.array(z.string(words).max(registrationLimits.textLength, words), words).max(most, words).optional();
};

const nameWords = `client_name is required: 1 to ${registrationLimits.clientNameLength} characters, none of them a control character`;
const urisWords = `redirect_uris is required: a list of 1 to ${registrationLimits.redirectUris} URIs, each once`;

const isName = (name: string): boolean => {
  const { length } = Array.from(name);
  return length >= 1 && length <= registrationLimits.clientNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name);
};

/** What a client asks for (RFC 7591 §2). Unknown properties are ignored, known ones must be well formed; the redirect URIs are judged further one by one. */
export const registrationRequest = z.object({
  client_name: z.string(nameWords).refine(isName, nameWords),
  redirect_uris: z.array(z.string(urisWords), urisWords).min(1, urisWords).max(registrationLimits.redirectUris, urisWords)
    .refine((uris) => new Set(uris).size === uris.length, urisWords),
  scope: optionalText('scope'),
  grant_types: optionalTexts('grant_types', 10),
  response_types: optionalTexts('response_types', 10),
  token_endpoint_auth_method: optionalText('token_endpoint_auth_method'),
  client_uri: optionalText('client_uri'),
  logo_uri: optionalText('logo_uri'),
  tos_uri: optionalText('tos_uri'),
  policy_uri: optionalText('policy_uri'),
  contacts: optionalTexts('contacts', registrationLimits.contacts),
  software_id: optionalText('software_id'),
  software_version: optionalText('software_version'),
}, 'the body is a JSON object');
export type RegistrationRequest = z.output<typeof registrationRequest>;

/** The answer to a client that is registered, now or before: what it asked for, with what it was granted in place of that (RFC 7591 §3.2.1). */
export type RegistrationResponse = Omit<RegistrationRequest, keyof typeof grantedToClients> & typeof grantedToClients & {
  readonly client_id: string;
  /** Seconds since 1970. */
  readonly client_id_issued_at: number;
};

/** An error of POST /oauth/register (docs/specification.md#client-registration; RFC 7591 §3.2.2). */
export type RegistrationError = {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata' | 'server_error';
  readonly error_description: string;
};
