import { loopbackHosts, registrationLimits } from '../../../contract/oauth/registration.ts';
import { isInterpretedScheme } from '../../../contract/oauth/uri-schemes.ts';

/** A scheme with at least one character after it. */
const withScheme = /^([a-z][a-z0-9+.-]*):(.+)$/is;

/**
 * The characters of a URI (RFC 3986 §2). Parsers silently drop or replace others: tabs, line ends, spaces, backslashes,
 * and the letters of an IDN.
 */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** An authority with user information, which ends with @ (RFC 3986 §3.2). */
const withUserInformation = /^[^/?]*:\/\/[^/?]*@/;

/**
 * http or https to a loopback host that is spelt as listed, in any case (RFC 3986 §3.1, §3.2.2); without a port, or
 * with one without leading zeros.
 */
const escapedLoopbackHosts = loopbackHosts.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|');
const loopback = new RegExp(`^https?://(?:${escapedLoopbackHosts})(?::(?:0|[1-9][0-9]{0,4}))?(?:[/?]|$)`, 'i');

/**
 * By its text, which excludes other spellings (127.1, 2130706433, a trailing dot), and by the host that a URL parser
 * reads.
 */
const isLoopback = (uri: string, { hostname }: URL): boolean => loopback.test(uri) && loopbackHosts.some((host) => host === hostname);

/**
 * The reason why a redirect URI may not be registered, without the URI itself; undefined when it may
 * (docs/specification.md#client-registration). The check uses the text, which Cognito compares later, and the host and
 * scheme that a browser parses from it (WHATWG URL).
 */
export const redirectUriFault = (uri: string): string | undefined => {
  if (uri.length > registrationLimits.redirectUriLength) return `is longer than ${registrationLimits.redirectUriLength} characters`;
  if (!uriCharacters.test(uri) || brokenEscape.test(uri)) return 'has characters that a URI cannot have (RFC 3986 §2)';
  // RFC 6749 §3.1.2
  if (uri.includes('#')) return 'has a fragment';
  const scheme = withScheme.exec(uri)?.[1]?.toLowerCase() ?? '';
  const url = URL.parse(uri);
  if (!url || url.protocol !== `${scheme}:`) return 'is not an absolute URI';
  if (withUserInformation.test(uri) || url.username !== '' || url.password !== '') return 'has user information';
  if (scheme === 'http' || scheme === 'https') {
    return isLoopback(uri, url)
      ? undefined
      : `is http or https to a host other than ${loopbackHosts.join(', ')}, spelt so; use a private-use scheme instead`;
  }
  return isInterpretedScheme(scheme) ? 'has a scheme that browsers or systems interpret themselves; use a private-use scheme' : undefined;
};
