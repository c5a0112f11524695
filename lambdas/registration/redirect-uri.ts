import { forbiddenSchemeFamilies, forbiddenSchemes, loopbackHosts, registrationLimits } from '../../contract/registration.ts';

/** A scheme, and something after it. */
const withScheme = /^([a-z][a-z0-9+.-]*):(.+)$/is;

/** The characters of a URI (RFC 3986 §2); parsers drop or mend others in silence: tabs, line ends, spaces, backslashes, and the letters of an IDN. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** What comes before the path, where there is an authority; user information ends with @ (RFC 3986 §3.2). */
const withUserInformation = /^[^/?]*:\/\/[^/?]*@/;

/** http or https to one of the loopback hosts as they are written (in any case, RFC 3986 §3.1, §3.2.2), without a port or with one that is written plainly. */
const loopback = new RegExp(`^https?://(?:${loopbackHosts.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|')})(?::(?:0|[1-9][0-9]{0,4}))?(?:[/?]|$)`, 'i');

/** A host that is another one to a parser than to a reader (127.1, 2130706433, a trailing dot) fails the first look; whatever else hides fails the second. */
const leadsToLoopback = (uri: string, { hostname }: URL): boolean => loopback.test(uri) && loopbackHosts.some((host) => host === hostname);

/**
 * Why a redirect URI may not be registered, in words that do not repeat it; undefined when it may (docs/specification.md#client-registration). It is judged as it will be compared and opened:
 * by its text, and by the host and scheme that a browser reads in it (WHATWG URL).
 */
export const redirectUriFault = (uri: string): string | undefined => {
  if (uri.length > registrationLimits.redirectUriLength) return `is longer than ${registrationLimits.redirectUriLength} characters`;
  if (!uriCharacters.test(uri) || brokenEscape.test(uri)) return 'holds what a URI can not hold (RFC 3986 §2)';
  // RFC 6749 §3.1.2
  if (uri.includes('#')) return 'has a fragment';
  const scheme = withScheme.exec(uri)?.[1]?.toLowerCase() ?? '';
  const url = URL.parse(uri);
  if (!url || url.protocol !== `${scheme}:`) return 'is no absolute URI';
  if (withUserInformation.test(uri) || url.username !== '' || url.password !== '') return 'has user information';
  if (scheme === 'http' || scheme === 'https') return leadsToLoopback(uri, url) ? undefined : `leads elsewhere than to ${loopbackHosts.join(', ')}, written so; other clients use a private-use scheme`;
  return forbiddenSchemes.has(scheme) || forbiddenSchemeFamilies.test(scheme) ? 'has a scheme that is not private to an application (RFC 8252 §7.1)' : undefined;
};
