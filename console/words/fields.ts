type FieldWords = { readonly label: string; readonly hint?: string };

/** Labels of API fields whose own name is not clear enough. */
const labels: { readonly [field: string]: FieldWords } = {
  user_id: { label: 'User' },
  account_id: { label: 'Account' },
  domain_id: { label: 'Domain' },
  alias_id: { label: 'Alias' },
  address: { label: 'Address', hint: 'An address of the account, or of the group, that gets the mail.' },
  group_id: { label: 'Group' },
  addresses: { label: 'Addresses', hint: 'At most five, one on a line: of other accounts here, or outside.' },
  keep_copy: { label: 'Keep a copy', hint: 'Forwarded mail is in the account too.' },
  writers: { label: 'Who may write' },
  members_may_send: { label: 'Members may send', hint: 'The members can write mail from this address, within minutes.' },
  local_part: { label: 'Address before the @' },
  domain: { label: 'Domain name', hint: 'The part of your addresses after the @.' },
  send_enabled: { label: 'Sends mail' },
  receive_enabled: { label: 'Receives mail' },
  dmarc_enabled: { label: 'DMARC record', hint: 'Tells other servers what to do with mail that only claims to be yours.' },
  dmarc_policy: { label: 'DMARC policy' },
  dmarc_report_email: { label: 'Address for DMARC reports' },
  spf_mode: { label: 'SPF record', hint: 'Says which servers may send for the domain.' },
  spf_value: { label: 'SPF value' },
  can_send_from: { label: 'May send', hint: 'The account can write mail from this address.' },
  is_active: { label: 'Active' },
  is_visible: { label: 'Visible' },
  is_admin: { label: 'Admin', hint: 'Admins operate the whole deployment here.' },
  admin_role: { label: 'Role' },
  reply_to: { label: 'Reply to' },
  bcc: { label: 'Blind copy to' },
  display_name: { label: 'Name' },
  test_type: { label: 'Kind of mail' },
  to_email: { label: 'To' },
  email: { label: 'E-mail address' },
  invitation_email: { label: 'Private address', hint: 'It is used for this mail only, and kept nowhere. The mail domain must be able to send.' },
  max_octets: { label: 'Storage limit in GB', hint: '0: the deployment’s limit holds.' },
  max_emails: { label: 'Limit of messages', hint: '0: the deployment’s limit holds.' },
  max_recipients_per_minute: { label: 'Recipients in a minute', hint: '0: the deployment’s limit holds.' },
  max_recipients_per_day: { label: 'Recipients on a day (UTC)', hint: '0: the deployment’s limit holds.' },
  desired_max_24h_send: { label: 'Recipients in 24 hours' },
  desired_max_send_rate_per_second: { label: 'Recipients a second' },
  desired_account_limit: { label: 'Concurrent Lambdas' },
  website_url: { label: 'Website', hint: 'AWS looks at it before it gives production access.' },
  contact_email: { label: 'Contact address', hint: 'AWS may write to it.' },
  text: { label: 'Comment' },
  activation_seconds: { label: 'How long access lasts' },
  active_until: { label: 'Access lasts' },
  allowed_tiers: { label: 'What support may do', hint: 'Nothing: the case gives no access. Nobody gets access to mail.' },
  use_case: { label: 'What you send and to whom', hint: 'AWS reads this. Say how people sign up, and how you handle bounces and complaints.' },
};

/** Words for enum values that are not clear by themselves. */
const values: { readonly [value: string]: string } = {
  NONE: 'None: only observe',
  QUARANTINE: 'Quarantine: to the spam folder',
  REJECT: 'Reject',
  OFF: 'Leave it alone',
  CHECK_ONLY: 'Only check it',
  CREATE_IF_MISSING: 'Create it when missing',
  FORCE_VALUE: 'Set the value below',
  NORMAL: 'Normal mail',
  BOUNCE: 'Simulated bounce',
  COMPLAINT: 'Simulated complaint',
  OOTO: 'Simulated out-of-office reply',
  AUTHENTICATOR_APP: 'Authenticator app',
  PASSKEY: 'Passkey',
  READ: 'Read',
  WRITE: 'Read and write',
  ADMIN: 'Read, write and manage',
  ALL: 'All: operates the whole deployment',
  HELPDESK: 'Helpdesk: people, addresses, activity and restoring; nothing about admins',
  READ_ONLY: 'Read only: no content of mail, no logs, no support access',
  ANYONE: 'Anyone',
  PEOPLE_HERE: 'People with an address here',
  MEMBERS: 'Members only',
  DIAG: 'Diagnosis: logs and metrics',
  CONFIG_READ: 'Configuration, read only',
};

/** `created_at` → `Created at`. */
const plain = (name: string): string => {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const fieldWordsOf = (name: string): FieldWords => labels[name] ?? { label: plain(name) };

/** A text of the API, with labels instead of the names of fields. */
const withLabels = (text: string): string =>
  text.replaceAll(/(?<![\w.@-])(?:[a-z][a-z_]+\.)?([a-z][a-z0-9]*_[a-z0-9_]+)(?![\w@-]|\.\w)/g, (name, field: string) => labels[field]?.label ?? name);

/** Requirements of the contract that are written for programs. */
const requirements: readonly (readonly [RegExp, string])[] = [
  [/^must be 1 to 64 letters, digits or .*/, 'must have 1 to 64 letters and digits, or signs such as - and +, with single dots between them'],
  [/^must be an RFC 3339 timestamp.*/, 'must be a date and a time'],
  [/^must be a domain name of two labels or more, such as/, 'must have a dot, such as'],
  [/^must be text$/, 'is not valid'],
  [/ to 9007199254740991$/, ' or more'],
  [/ \(RFC [^()]{1,40}\)/, ''],
];

/** The requirement of a field in the words of its form: `must be one of READ, WRITE` → `must be one of Read, Read and write`. */
const requirementOf = (text: string): string =>
  withLabels(requirements.reduce((known, [pattern, plainText]) => known.replace(pattern, plainText), text))
    .replaceAll(/\b[A-Z][A-Z_]+\b/g, (value) => values[value] ?? value)
    .replaceAll(/\b\d{5,15}\b/g, (digits) => Number(digits).toLocaleString());

export const fieldWords = { of: fieldWordsOf, values, withLabels, requirementOf };
