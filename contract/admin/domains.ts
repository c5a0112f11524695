import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import {
  bool,
  count,
  emailAddress,
  emailAddressIfUsed,
  emailAddressOrNone,
  enumeration,
  instant,
  list,
  newDomainName,
  newEmailAddress,
  nextPage,
  ordering,
  paging,
  reference,
  text,
  textOrNone,
} from '../values/fields.ts';
import { MessageClass } from './mail-feedback.ts';

export const DMARCPolicyType = enumeration('DMARCPolicyType', ['NONE', 'QUARANTINE', 'REJECT']);
export const SPFMode = enumeration('SPFMode', ['OFF', 'CHECK_ONLY', 'CREATE_IF_MISSING', 'FORCE_VALUE']);
export type SPFMode = z.output<typeof SPFMode>;
export const VerificationStatus = enumeration('VerificationStatus', ['PENDING', 'SUCCESS', 'FAILED']);
export type VerificationStatus = z.output<typeof VerificationStatus>;
export const DNSRecordType = enumeration('DNSRecordType', ['CNAME', 'MX', 'TXT', 'A', 'SRV']);
export const DNSRecordRequirement = enumeration('DNSRecordRequirement', ['REQUIRED', 'RECOMMENDED']);
export const DNSProviderType = enumeration('DNSProviderType', ['ROUTE53']);
export const DNSApplyStatus = enumeration('DNSApplyStatus', ['NOT_APPLIED', 'APPLIED', 'APPLY_FAILED']);
/** The type of a test mail. NORMAL is sent to to_email, the others are sent to SES's mailbox simulator. */
export const TestEmailType = enumeration('TestEmailType', ['NORMAL', 'BOUNCE', 'COMPLAINT', 'OOTO']);
export type TestEmailType = z.output<typeof TestEmailType>;

/** TTL of the records that ApplyDomainRecords writes, in seconds. */
export const dnsTtl = 3600;

/** A record that the domain should have, and whether public DNS has it. */
export const DNSRecord = message('DNSRecord', {
  name: z.string(),
  record_type: DNSRecordType,
  /**
   * The value to publish. A foreign SPF policy is extended by the missing parts, because a domain may have only one
   * policy.
   */
  value: z.string(),
  /** TTL in seconds; always {@link dnsTtl}. */
  ttl: count(),
  /** Whether public DNS has a record of this name, type and purpose. */
  exists: bool(),
  /** Whether the value is accepted. */
  valid: bool(),
  /** Whether ApplyDomainRecords wrote all of the record's values in DNS, so that it may change them. */
  applied: bool(),
  /** The values of this type and purpose in public DNS, at most 20. */
  found_values: list(z.string()),
  /** The reason why the record is not sufficient, in a sentence for the operator. */
  problem: z.string().optional(),
  requirement: DNSRecordRequirement,
});
export type DNSRecord = z.input<typeof DNSRecord>;

export const DNSRecordName = message('DNSRecordName', { name: z.string(), record_type: DNSRecordType });
export type DNSRecordName = z.input<typeof DNSRecordName>;

/** The expected records of a domain, and those found in public DNS. */
export const DNSValidationResult = message('DNSValidationResult', {
  /** SES's three DKIM tokens. */
  dkim_records: list(DNSRecord),
  mail_from_records: list(DNSRecord),
  /** The MX record for received mail. Present when receive_enabled is set. */
  mx_record: DNSRecord.optional(),
  dmarc_record: DNSRecord.optional(),
  spf_record: DNSRecord.optional(),
  /**
   * The SRV record by which a mail client finds the service from an address (RFC 8620 §2.2). Present when
   * receive_enabled is set.
   */
  autodiscovery_records: list(DNSRecord),
  required_valid: bool(),
  recommended_valid: bool(),
});
export type DNSValidationResult = z.input<typeof DNSValidationResult>;

/** The result of the last ApplyDomainRecords. */
export const DNSApplyState = message('DNSApplyState', {
  status: DNSApplyStatus,
  provider_type: DNSProviderType.optional(),
  last_attempt_at: instant().optional(),
  last_success_at: instant().optional(),
  last_error: z.string().optional(),
  applied_record_names: list(z.string()),
});
export type DNSApplyState = z.input<typeof DNSApplyState>;

export const DNSHostedZone = message('DNSHostedZone', { id: z.string(), name: z.string(), record_count: count() });

/** Who gets the mail to postmaster@ or abuse@ of a domain that receives mail (RFC 5321 §4.5.1, RFC 2142 §4). */
export const RoleMail = message('RoleMail', {
  /** The address, such as `postmaster@example.com`. */
  address: z.string(),
  /** The address of the account that gets its mail: the one that has the address, or else that of an admin. Absent: nobody gets it. */
  account_email: z.string().optional(),
});

/**
 * A domain that sends or receives mail. SES has the actual state, the deployment stores the desired state
 * (docs/specification.md#domains).
 */
export const Domain = message('Domain', {
  id: z.string(),
  domain: z.string(),
  verification_status: VerificationStatus,
  dkim_status: VerificationStatus,
  dkim_enabled: bool(),
  /** The MAIL FROM subdomain, once it is set at SES. */
  mail_from_domain: z.string().optional(),
  send_enabled: bool(),
  receive_enabled: bool(),
  dmarc_enabled: bool(),
  dmarc_policy: DMARCPolicyType,
  dmarc_report_email: z.string().optional(),
  spf_mode: SPFMode,
  spf_value: z.string().optional(),
  /** Whether it is the deployment's own mail domain. */
  is_primary: bool(),
  /** Whether the SES identity existed before AddDomain. Then the deployment never changes or deletes the identity. */
  adopted: bool(),
  dns_apply_state: DNSApplyState.optional(),
  dns_validation: DNSValidationResult.optional(),
  /** Empty without `dns_validation`, and when receive_enabled is not set. */
  role_mail: list(RoleMail),
  created_at: instant(),
  updated_at: instant(),
});
export type Domain = z.input<typeof Domain>;

const spfValue = { max: 255 };

/** The request of AddDomain and CreateDomain. */
const newDomain = {
  domain: newDomainName(),
  dmarc_policy: DMARCPolicyType.default('NONE'),
  dmarc_report_email: newEmailAddress().optional(),
  send_enabled: bool().default(true),
  receive_enabled: bool().default(false),
  /** Whether the DMARC record is recommended and applied. */
  dmarc_enabled: bool().default(true),
  spf_mode: SPFMode.default('CREATE_IF_MISSING'),
  /** The SPF policy. Required with FORCE_VALUE, and used only then. */
  spf_value: text(spfValue).optional(),
  /**
   * Whether to use an existing SES identity of the AWS account unchanged, although this deployment did not register it.
   */
  adopt_existing: bool().default(false),
};

const addDomain = {
  changes: true,
  request: newDomain,
  response: { domain: Domain },
  errors: ['already_exists', 'failed_precondition', 'aborted', 'resource_exhausted'],
} as const;

const getDomainAlias = {
  request: { domain_id: reference() },
  response: { domain: Domain },
  errors: ['not_found'],
  roles: ['HELPDESK', 'READ_ONLY'],
  aliasOf: 'GetDomain',
} as const;

export const DomainOrder = enumeration('DomainOrder', ['DOMAIN', 'CREATED_AT']);

/** The service /domains (docs/specification.md#domains). */
export const domains = service({
  name: 'domains',
  summary: 'Sending and receiving domains, the DNS records they need, their verification, and test mail.',
  methods: {
    AddDomain: method({
      summary:
        'Registers a domain with the sending provider. Names in another case, or in U-label form, are the same domain. ' +
        'An SES identity that something else registered is refused, and with adopt_existing it is used unchanged.',
      ...addDomain,
    }),
    GetDomain: method({
      summary: 'Returns a domain with its current status at the provider, and with include_dns_validation its records in public DNS.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { id: reference(), include_dns_validation: bool().default(false) },
      response: { domain: Domain },
      errors: ['not_found'],
    }),
    ListDomains: method({
      summary: 'Lists all domains. Without order_by, descending and query the order is stable but has no meaning. query finds domains by their labels.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { ...paging({ max: 100, default: 50 }), ...ordering(DomainOrder) },
      response: { domains: list(Domain), ...nextPage },
    }),
    UpdateDomain: method({
      summary: 'Changes the given settings. An empty dmarc_report_email or spf_value removes the stored one.',
      changes: true,
      request: {
        id: reference(),
        dmarc_policy: DMARCPolicyType.optional(),
        dmarc_report_email: emailAddressOrNone().optional(),
        send_enabled: bool().optional(),
        receive_enabled: bool().optional(),
        dmarc_enabled: bool().optional(),
        spf_mode: SPFMode.optional(),
        spf_value: textOrNone(spfValue).optional(),
      },
      response: { domain: Domain },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    RemoveDomain: method({
      summary:
        'Deletes the domain here and at the provider, where an adopted identity stays; sending from it stops. Refused while ' +
        'accounts or aliases have addresses at the domain; those of deleted accounts do not count.',
      changes: true,
      request: { id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    CheckDNSProvider: method({
      summary: 'Whether the domain has a hosted zone that Postrider can write.',
      roles: ['READ_ONLY'],
      request: { id: reference() },
      response: { has_access: bool(), provider_type: DNSProviderType.optional(), hosted_zone: DNSHostedZone.optional() },
      errors: ['not_found'],
    }),
    ApplyDomainRecords: method({
      summary:
        'Writes the expected records to the hosted zone in one change and keeps foreign records. Where foreign records are ' +
        'in the way, the others are written and the call is already_exists.',
      changes: true,
      request: { id: reference() },
      response: {
        dns_apply_state: DNSApplyState.optional(),
        dns_validation: DNSValidationResult.optional(),
        /** Names of the records that could not be written. */
        records_failed: list(z.string()),
        /** The records that were written. Records that were already valid are not listed. */
        records_written: list(DNSRecordName),
        /** Foreign records that are kept: an SPF policy with CREATE_IF_MISSING. */
        records_kept: list(DNSRecordName),
      },
      errors: ['not_found', 'failed_precondition', 'already_exists', 'aborted'],
    }),
    DeleteDomainRecord: method({
      summary: 'Removes a record that ApplyDomainRecords wrote. `deleted` is false when there is none.',
      changes: true,
      request: {
        id: reference(),
        record_name: text({ max: 255 }),
        /** The type of the record: TXT, CNAME, MX or SRV. */
        record_type: enumeration('DeletableRecordType', ['TXT', 'CNAME', 'MX', 'SRV']),
      },
      response: { deleted: bool() },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    SendTestEmail: method({
      summary: 'Sends a test mail from a verified address (from_email) or from test@ the domain (id). Give one of the two.',
      changes: true,
      request: {
        from_email: emailAddress().optional(),
        id: reference().optional(),
        /** The recipient. Required for NORMAL, ignored for the simulator types. */
        to_email: emailAddressIfUsed().optional(),
        test_type: TestEmailType,
        message_class: MessageClass.default('TRANSACTIONAL'),
      },
      response: {
        /** The provider's id; empty until the submission is sent. */
        message_id: z.string(),
        note: z.string(),
        submission_id: z.string().optional(),
      },
      errors: ['not_found', 'failed_precondition', 'aborted', 'resource_exhausted'],
    }),
    CreateDomain: method({ summary: 'The same method as AddDomain.', ...addDomain, aliasOf: 'AddDomain' }),
    GetDomainVerification: method({ summary: 'The same as GetDomain with include_dns_validation.', ...getDomainAlias }),
    VerifyDomain: method({ summary: 'The same as GetDomain without include_dns_validation.', ...getDomainAlias }),
  },
});
