import { loopbackHosts, registrationLimits } from '../../contract/oauth/registration.ts';
import { isInterpretedScheme } from './uri-schemes.ts';

/** A URI with a scheme and at least one character after it. */
const withScheme = /^([a-z][a-z0-9+.-]*):(.+)$/is;

/** The characters that a URI may have (RFC 3986 §2). Parsers silently drop or replace others. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** A URI whose authority has user information, which ends with @ (RFC 3986 §3.2). */
const withUserInformation = /^[^/?]*:\/\/[^/?]*@/;

/**
 * An http or https URI with a listed loopback host, in any letter case, without a port or with a port without leading
 * zeros.
 */
const escapedLoopbackHosts = loopbackHosts.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|');
const loopback = new RegExp(`^https?://(?:${escapedLoopbackHosts})(?::(?:0|[1-9][0-9]{0,4}))?(?:[/?]|$)`, 'i');

/**
 * Whether the host is a loopback host: by the text, which excludes spellings such as 127.1, and by the host that a URL
 * parser reads.
 */
const isLoopback = (uri: string, { hostname }: URL): boolean => loopback.test(uri) && loopbackHosts.some((host) => host === hostname);

/**
 * The reason why a redirect URI may not be registered, without the URI itself; undefined for a permitted URI
 * (docs/specification.md#client-registration). The check uses the text, which Cognito compares later, and the host and
 * scheme that a browser parses from it (WHATWG URL).
 */
export const redirectUriFault = (uri: string): string | undefined => {
  if (uri.length > registrationLimits.redirectUriLength) return `is longer than ${registrationLimits.redirectUriLength} characters`;
  if (!uriCharacters.test(uri) || brokenEscape.test(uri)) return 'has characters that a URI cannot have (RFC 3986 §2)';
  // A redirect URI has no fragment (RFC 6749 §3.1.2).
  if (uri.includes('#')) return 'has a fragment';
  const scheme = withScheme.exec(uri)?.[1]?.toLowerCase() ?? '';
  const url = URL.parse(uri);
  if (!url || url.protocol !== `${scheme}:`) return 'is not an absolute URI';
  if (withUserInformation.test(uri) || url.username !== '' || url.password !== '') return 'has user information';
  if (scheme === 'http' || scheme === 'https') {
    return isLoopback(uri, url) ? undefined : `is http or https to a host other than ${loopbackHosts.join(', ')}, spelt so; use a private-use scheme instead`;
  }
  return isInterpretedScheme(scheme) ? 'has a scheme that browsers or systems interpret themselves; use a private-use scheme' : undefined;
};
