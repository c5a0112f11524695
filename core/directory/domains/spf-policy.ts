/**
 * SPF policies (RFC 7208) for sending by SES: whether a policy allows SES, and how to extend it so that it does. A
 * domain must have only one policy, because receivers ignore all policies of a domain with two (§4.5).
 */

const sesInclude = 'include:amazonses.com';

export const sesSpfPolicy = `v=spf1 ${sesInclude} ~all`;

/** Maximum DNS look-ups of one policy (RFC 7208 §4.6.4). Receivers ignore a policy that needs more. */
const maxLookups = 10;

export const isSpf = (value: string): boolean => /^v=spf1(\s|$)/i.test(value.trim());

const isSesInclude = (term: string): boolean => /^[+?~-]?include:amazonses\.com$/i.test(term);
const isAll = (term: string): boolean => /^[+?~-]?all$/i.test(term);
const isRedirect = (term: string): boolean => /^redirect=/i.test(term);
const needsLookup = (term: string): boolean => /^([+?~-]?(include|a|mx|ptr|exists)([:/]|$)|redirect=)/i.test(term);

/** The terms of a policy without its version. */
const termsOf = (policy: string): string[] => policy.trim().split(/\s+/).slice(1);

export const allowsSes = (value: string): boolean => isSpf(value) && termsOf(value).some((term) => isSesInclude(term) && !/^[?~-]/.test(term));

/** The terms that are evaluated: those up to `all`, and no `redirect` if there is an `all` (RFC 7208 §5.1, §6.1). */
const evaluatedTerms = (policy: string): string[] => {
  const terms = termsOf(policy);
  const all = terms.findIndex(isAll);
  return all < 0 ? terms : terms.slice(0, all + 1).filter((term) => !isRedirect(term));
};

/**
 * The terms of several policies joined into one. A `redirect` becomes an `include`, and the first `all` applies to the
 * joined policy.
 */
const joinedTerms = (policies: readonly string[]): string[] => {
  const terms = policies.flatMap(evaluatedTerms).map((term) => term.replace(/^redirect=/i, 'include:'));
  return [...new Set(terms.filter((term) => !isAll(term))), terms.find(isAll) ?? '~all'];
};

/**
 * Merges the policies into one that also allows SES. Senders that no term allows are treated as the given policies say.
 */
export const withSes = (policies: readonly string[]): string => {
  const [policy = '', ...others] = policies;
  const terms = (others.length === 0 ? termsOf(policy) : joinedTerms([...policies].sort())).filter((term) => !isSesInclude(term));
  const last = terms.findIndex((term) => isAll(term) || isRedirect(term));
  const place = last < 0 ? terms.length : last;
  return ['v=spf1', ...terms.slice(0, place), sesInclude, ...terms.slice(place)].join(' ');
};

type LookUpTexts = (name: string) => Promise<readonly string[] | undefined>;

/**
 * The domain whose policy a term also evaluates. Undefined for other terms, and for macros, which depend on the mail.
 */
const policyDomain = (term: string): string | undefined => /^(?:[+?~-]?include:|redirect=)([^%/]+)$/i.exec(term)?.[1]?.toLowerCase();

/**
 * Counts the look-ups of a policy and of the policies that it includes, up to the limit, so that counting also ends for
 * a policy that includes itself.
 */
const countLookups = async (policy: string, lookUp: LookUpTexts, limit: number): Promise<number> => {
  const terms = evaluatedTerms(policy).filter(needsLookup);
  if (terms.length > limit) return terms.length;
  const nested = await Promise.all(
    terms
      .flatMap((term) => policyDomain(term) ?? [])
      .map(async (domain) => {
        const included = (await lookUp(domain))?.find(isSpf);
        return included === undefined ? 0 : countLookups(included, lookUp, limit - terms.length);
      }),
  );
  return nested.reduce((sum, count) => sum + count, terms.length);
};

/** The value to publish instead of the policies in DNS. */
type SpfToPublish = { readonly value: string; readonly problem?: string };

const severalPolicies = 'DNS has several SPF policies, so that receivers ignore all of them (RFC 7208 §4.5). Publish one in their place.';
const tooManyLookups =
  `The policy needs more than ${maxLookups} DNS look-ups with ${sesInclude}, so that receivers would ignore it ` +
  '(RFC 7208 §4.6.4). Remove entries that are not needed any more.';

/**
 * Joins the policies into one that allows SES.
 * @returns the first policy unchanged and the problem, when the joined policy needs too many look-ups.
 */
export const mergeSpf = async (found: readonly string[], lookUp: LookUpTexts): Promise<SpfToPublish> => {
  const value = withSes(found);
  if ((await countLookups(value, lookUp, maxLookups)) > maxLookups) return { value: found[0]!, problem: tooManyLookups };
  return { value, ...(found.length > 1 && { problem: severalPolicies }) };
};
