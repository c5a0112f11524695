import { domainOf } from '../../contract/values/mail-address.ts';
import type { HeaderField } from '../../core/mime/header-fields.ts';
import { asText } from '../../core/mime/header-forms.ts';
import { authorOf } from './bounces/bounce-policy.ts';
import { authenticationResults } from './received/authentication-results.ts';
import type { ReceivedMail } from './received/ses-notification.ts';

/** The domain from which Cognito sends unless a user pool sends by SES (Cognito developer guide, "Email settings"). */
const cognitoDomain = 'verificationemail.com';

/** Whether SES's Authentication-Results name a DKIM signature of the domain that verified (RFC 8601 §2.7.1). */
const isSignedBy = (fields: readonly HeaderField[], domain: string): boolean => {
  const results = fields.find(({ name }) => name.toLowerCase() === authenticationResults);
  return (
    results !== undefined &&
    asText(results)
      .toLowerCase()
      .split(';')
      .map((result) => result.trim().split(/\s+/))
      .some(
        ([verdict, ...properties]) =>
          verdict === 'dkim=pass' && properties.some((property) => /^header\.[di]=/.test(property) && property.split(/[=@]/).at(-1) === domain),
      )
  );
};

/**
 * Whether Cognito or this deployment sent the message, so that it may have a code or a password. It need not be of this
 * deployment's user pool. Everybody can write Cognito's address, so that only a proven author counts.
 * @param fields the fields of the message in which only SES's results keep their names.
 * @param signInMailFrom the address from which people are invited by SES.
 */
export const isSignInMail = ({ verdicts: { dmarc } }: ReceivedMail, fields: readonly HeaderField[], signInMailFrom: string): boolean => {
  const author = authorOf(fields)?.toLowerCase() ?? '';
  const isOfSignIn = domainOf(author) === cognitoDomain || author === signInMailFrom.toLowerCase();
  return isOfSignIn && (dmarc === 'PASS' || (dmarc !== 'FAIL' && isSignedBy(fields, domainOf(author))));
};
