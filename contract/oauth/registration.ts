import { z } from 'zod';
import { personScopes } from './oauth.ts';

/**
 * Limits of dynamic client registration, POST /oauth/register (RFC 7591; docs/specification.md#client-registration).
 */
export const registrationLimits = {
  /**
   * Maximum octets of the body, enough for ten redirect URIs of maximum length in any JSON escape, and the other
   * metadata.
   */
  bodySize: 65_536,
  /** Maximum characters (code points) of client_name. */
  clientNameLength: 128,
  redirectUris: 10,
  /** Maximum characters of a redirect URI, as in Cognito. */
  redirectUriLength: 1024,
  /** Maximum characters of any other text in the metadata. */
  textLength: 2048,
  contacts: 10,
  /**
   * Maximum new registrations of the whole deployment within `windowSeconds`. Requests of clients that are already
   * registered are not counted.
   */
  newInWindow: 20,
  /**
   * Maximum new registrations from one network within `windowSeconds`, so that others can still register. A network is
   * an IPv4 address, or the first 64 bits of an IPv6 address.
   */
  newOfNetwork: 5,
  windowSeconds: 24 * 60 * 60,
  /**
   * Days after its registration after which a client is removed if no person has signed in with it. With 20
   * registrations a day, the number of clients stays below the alarm of the quota.
   */
  neverUsedDays: 30,
  /** Days without a token after which a client is removed. */
  unusedDays: 180,
  /** Maximum app clients of all kinds in a user pool, which is Cognito's default quota. */
  appClientQuota: 1000,
  /** The share of the quota at which an alarm starts. */
  appClientAlarm: 0.8,
} as const;

/**
 * The metadata that every client gets, for any request. RFC 7591 §2 lets a server replace requested values; the
 * response contains the granted values.
 */
export const grantedToClients = {
  scope: personScopes.join(' '),
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const;

/**
 * Hosts that http and https redirect URIs may have, in exactly this spelling but any letter case (RFC 8252 §7.3). The
 * redirect URIs of the command line and the console's origins may also use http on these hosts.
 */
export const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'] as const;

const optionalText = (name: string) =>
  z.string(`${name} must be a string`).max(registrationLimits.textLength, `${name} must have at most ${registrationLimits.textLength} characters`).optional();
const optionalTexts = (name: string, max: number) => {
  const message = `${name} must be a list of at most ${max} strings`;
  return z.array(z.string(message).max(registrationLimits.textLength, message), message).max(max, message).optional();
};

const nameMessage = `client_name is required: 1 to ${registrationLimits.clientNameLength} characters, none of them a control character`;
const urisMessage = `redirect_uris is required: a list of 1 to ${registrationLimits.redirectUris} URIs, each once`;

const isName = (name: string): boolean => {
  const { length } = Array.from(name);
  return length >= 1 && length <= registrationLimits.clientNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name);
};

/**
 * Client metadata (RFC 7591 §2). Unknown properties are ignored; known ones must be well-formed. Each redirect URI is
 * checked separately.
 */
export const registrationRequest = z.object(
  {
    client_name: z.string(nameMessage).refine(isName, nameMessage),
    redirect_uris: z
      .array(z.string(urisMessage), urisMessage)
      .min(1, urisMessage)
      .max(registrationLimits.redirectUris, urisMessage)
      .refine((uris) => new Set(uris).size === uris.length, urisMessage),
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
  },
  'the body must be a JSON object',
);
export type RegistrationRequest = z.output<typeof registrationRequest>;

/**
 * The response for a client that is registered, whether by this request or before: its metadata with the granted values
 * (RFC 7591 §3.2.1).
 */
export type RegistrationResponse = Omit<RegistrationRequest, keyof typeof grantedToClients> &
  typeof grantedToClients & {
    readonly client_id: string;
    /** The time of registration, in seconds since 1970. */
    readonly client_id_issued_at: number;
  };

/** An error of POST /oauth/register (docs/specification.md#client-registration; RFC 7591 §3.2.2). */
export type RegistrationError = { readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata' | 'server_error'; readonly error_description: string };

/**
 * The names of app clients that registered themselves. A name contains the fingerprint of the registration, because
 * Cognito permits equal names and users never see them.
 */
export const registeredClientName = { of: (fingerprint: string): string => `dynamic-${fingerprint}`, pattern: /^dynamic-([0-9a-f]{64})$/ };
