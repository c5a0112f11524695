/** Tests of an adapter that fail with another implementation of AWS. */
export type Difference = {
  /** The beginning of the tests' full titles. */
  readonly tests: string;
  /** The behaviour of the implementation, and the behaviour that AWS documents. */
  readonly finding: string;
};

/**
 * The known differences: `npm run test:second-opinion` fails when another test fails, and when all tests of a
 * difference pass. `docs/second-opinions.md` has them as a table.
 */
export const differences: readonly Difference[] = [
  {
    tests: 'the DNS provider over Route 53 changeRecordSets refuses the whole batch',
    finding: 'moto applies a part of the batch, or replaces a set by CREATE. AWS documents that a batch is applied whole or not at all, '
      + 'that CREATE fails for an existing set and that DELETE needs the exact values (ChangeResourceRecordSets).',
  },
  {
    tests: 'the mail bucket in S3 refuses bytes without the announced checksum',
    finding: 'moto ignores the checksum. AWS documents that an object whose checksum differs is not stored (PutObject).',
  },
  {
    tests: 'the email provider over SES createDomain returns a pending domain',
    finding: 'moto creates no DKIM tokens. AWS documents Easy DKIM for new domains, with three tokens (CreateEmailIdentity).',
  },
  {
    tests: 'the email provider over SES createDomain returns a domain that another application registered',
    finding: 'moto replaces an existing identity. AWS documents AlreadyExistsException (CreateEmailIdentity).',
  },
  {
    tests: 'the email provider over SES refuses a name that SES refuses',
    finding: 'moto accepts any name. AWS documents BadRequestException (CreateEmailIdentity).',
  },
  { tests: 'the email provider over SES setMailFrom', finding: 'moto does not have PutEmailIdentityMailFromAttributes.' },
  {
    tests: 'the email provider over SES stopFeedbackForwarding',
    finding: 'moto does not have PutEmailIdentityFeedbackAttributes.',
  },
  { tests: 'the email provider over SES accountStatus', finding: 'moto does not have GetAccount.' },
  { tests: 'public DNS with SES verification SES verifies a domain', finding: 'moto verifies no domain by its DNS records.' },
  {
    tests: 'the mail sender over SES',
    finding: 'moto does not have CreateConfigurationSetEventDestination, and reports nothing about sent mail.',
  },
  {
    tests: 'the sender addresses over SES',
    finding: 'moto verifies an address at once, accepts any text as one, removes unknown ones and refuses the second page of a list. AWS '
      + 'documents a verification mail, BadRequestException and NotFoundException (CreateEmailIdentity, DeleteEmailIdentity).',
  },
  { tests: 'the WebSocket sender of API Gateway', finding: 'moto has no data plane for WebSocket APIs: no socket can be opened.' },
];
