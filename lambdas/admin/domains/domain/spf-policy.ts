/**
 * SPF policies (RFC 7208), as far as sending by SES needs them: whether a policy allows SES, and how a policy is
 * extended to allow it. A domain has one policy; receivers ignore all of them when there are two (§4.5).
 */

const sesInclude = 'include:amazonses.com';

export const sesSpfPolicy = `v=spf1 ${sesInclude} ~all`;

/** DNS look-ups that the evaluation of a policy may need (RFC 7208 §4.6.4). With more, receivers ignore the policy. */
const maxLookups = 10;

export const isSpf = (value: string): boolean => /^v=spf1(\s|$)/i.test(value.trim());

const isSesInclude = (term: string): boolean => /^[+?~-]?include:amazonses\.com$/i.test(term);
const isAll = (term: string): boolean => /^[+?~-]?all$/i.test(term);
const isRedirect = (term: string): boolean => /^redirect=/i.test(term);
const needsLookup = (term: string): boolean => /^([+?~-]?(include|a|mx|ptr|exists)([:/]|$)|redirect=)/i.test(term);

/** The terms of a policy without its version. */
const termsOf = (policy: string): string[] => policy.trim().split(/\s+/).slice(1);

export const allowsSes = (value: string): boolean =>
  isSpf(value) && termsOf(value).some((term) => isSesInclude(term) && !/^[?~-]/.test(term));

/** The terms that are evaluated: nothing after `all`, and no `redirect` beside it (RFC 7208 §5.1, §6.1). */
const evaluatedTerms = (policy: string): string[] => {
  const terms = termsOf(policy);
  const all = terms.findIndex(isAll);
  return all < 0 ? terms : terms.slice(0, all + 1).filter((term) => !isRedirect(term));
};

/** The terms that join several policies in one: a `redirect` becomes an `include`, and the first `all` is that of all. */
const joinedTerms = (policies: readonly string[]): string[] => {
  const terms = policies.flatMap(evaluatedTerms).map((term) => term.replace(/^redirect=/i, 'include:'));
  return [...new Set(terms.filter((term) => !isAll(term))), terms.find(isAll) ?? '~all'];
};

/**
 * One policy that allows SES and all senders of the given ones. The mechanism for all other senders remains the last
 * one.
 */
export const withSes = (policies: readonly string[]): string => {
  const [policy = '', ...others] = policies;
  const terms = (others.length === 0 ? termsOf(policy) : joinedTerms([...policies].sort())).filter((term) => !isSesInclude(term));
  const last = terms.findIndex((term) => isAll(term) || isRedirect(term));
  const place = last < 0 ? terms.length : last;
  return ['v=spf1', ...terms.slice(0, place), sesInclude, ...terms.slice(place)].join(' ');
};

type LookUpTexts = (name: string) => Promise<readonly string[] | undefined>;

/** The domain whose policy a term evaluates too; undefined for other terms, and for macros, which depend on the mail. */
const policyDomain = (term: string): string | undefined => /^(?:[+?~-]?include:|redirect=)([^%/]+)$/i.exec(term)?.[1]?.toLowerCase();

/**
 * Counts the look-ups of a policy and of the policies that it includes. It stops when they exceed `limit`, so that a
 * policy that includes itself ends too. Each level has at least one look-up, so that the next one has a lower limit.
 */
const countLookups = async (policy: string, lookUp: LookUpTexts, limit: number): Promise<number> => {
  const terms = evaluatedTerms(policy).filter(needsLookup);
  if (terms.length > limit) return terms.length;
  const nested = await Promise.all(terms.flatMap((term) => policyDomain(term) ?? []).map(async (domain) => {
    const included = (await lookUp(domain))?.find(isSpf);
    return included === undefined ? 0 : countLookups(included, lookUp, limit - terms.length);
  }));
  return nested.reduce((sum, count) => sum + count, terms.length);
};

/** The value to publish in place of the policies in DNS. */
type SpfToPublish = { readonly value: string; readonly problem?: string };

const severalPolicies = 'DNS has several SPF policies, so that receivers ignore all of them (RFC 7208 §4.5). Publish one in their place.';
const tooManyLookups = `The policy needs more than ${maxLookups} DNS look-ups with ${sesInclude}, so that receivers would ignore it `
  + '(RFC 7208 §4.6.4). Remove entries that are not needed any more.';

/**
 * The policies of DNS as one that allows SES too; unchanged, with the problem, when that needs too many look-ups.
 * @param found the foreign policies, at least one.
 */
export const mergeSpf = async (found: readonly string[], lookUp: LookUpTexts): Promise<SpfToPublish> => {
  const value = withSes(found);
  if (await countLookups(value, lookUp, maxLookups) > maxLookups) return { value: found[0]!, problem: tooManyLookups };
  return { value, ...(found.length > 1 && { problem: severalPolicies }) };
};
