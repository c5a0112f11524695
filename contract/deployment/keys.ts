/**
 * The partition keys of the tables. Lambdas make keys of them, and the stack makes the patterns of grants. They are in
 * stored items, so that none can change. A function makes the keys of a family of partitions.
 */

/** The partition of the deployment's own secrets, in the directory table and in the mail table. */
export const secretPartition = 'secret';

/** Partitions of the directory table. */
export const directoryPartitions = {
  users: 'user',
  userEmails: 'user-email',
  userRemovals: 'user-removal',
  /** The user of each sign-in, by the `sub` of Cognito. */
  identities: 'idp-identity',
  admins: 'admins',
  /** A principal's memberships and profile. */
  memberships: (principalId: string) => `member#${principalId}`,
  accounts: 'account',
  accountRemovals: 'account-removal',
  accountMembers: (accountId: string) => `account-member#${accountId}`,
  removedMembers: (accountId: string) => `removed-member#${accountId}`,
  accountAliases: (accountId: string) => `account-alias#${accountId}`,
  aliases: 'alias',
  addresses: 'address',
  domains: 'domain',
  domainNames: 'domain-name',
  /** The DNS records of a domain that the deployment wrote. */
  domainRecords: (domainId: string) => `domain-records#${domainId}`,
  identityTasks: 'identity-task',
  emailIdentities: 'email-identity',
  emailIdentityPages: 'email-identity-page',
  clientRegistrations: 'client-registration',
  clientRegistrationCap: 'client-registration-cap',
  registeredClients: 'registered-client',
  /** The app clients of the deployment itself. Only the hook of a deployment writes it. */
  deployedClients: 'deployed-clients',
  /** The audit log: the entries of a month (yyyy-mm), and its lists of months and actors. */
  audit: (list: string) => `audit#${list}`,
  changeRequests: (list: string) => `change-request#${list}`,
  problems: 'problem',
  suspectedProblems: 'suspected-problem',
  problemChanges: 'problem-change',
  problemSubscribers: 'problem-subscriber',
  watch: 'watch',
  setup: 'setup',
  supportCases: 'support-case',
  supportAccess: 'support-access',
  supportTiers: (tier: string) => `support-tier#${tier}`,
  supportAssumptions: (caseId: string) => `support-assumption#${caseId}`,
} as const;

/** Names of an account's partitions in the mail table. The partition of a plain type has the type's name in lower case. */
export const accountPartitions = {
  /** The log items and the head. */
  log: 'log',
  mailbox: 'mailbox',
  row: 'row',
  /** Records of Emails, and tombstones of destroyed ones. */
  email: 'email',
  /** Threads by Message-ID and base subject. */
  reference: 'ref',
  /** References of Emails to blobs. */
  blob: 'blob',
  /** Destroyed Emails that can be restored. */
  destroyed: 'destroyed',
  identity: 'identity',
  emailSubmission: 'emailsubmission',
  vacationResponse: 'vacation',
  /** Senders that got a response, and copies for the `bcc` of aliases. */
  respondedSenders: 'responded',
  contactCard: 'contactcard',
  quota: 'quota',
  uploads: 'uploads',
} as const;

/** A partition of an account. Each kind of item has one, so that a query reads one kind only. */
export const partitionOf = (accountId: string, name: string): string => `${accountId}#${name}`;

/** Partitions of the mail table that do not belong to an account. */
export const mailPartitions = {
  /** Accounts by the time from which destroyed Emails can no longer be restored. */
  destroyedMailDue: 'destroyed-mail-due',
  /** Messages that could not be parsed in their share of time. */
  unparsedMessages: 'unparsed-message',
  bounces: (messageId: string) => `bounce#${messageId}`,
  webSocketConnections: (connectionId: string) => `connection#${connectionId}`,
  /** The WebSocket frames of a principal in each second. */
  webSocketFrames: (principalId: string) => `frames#${principalId}`,
  /** The downloads of a principal that run now. */
  downloads: (principalId: string) => `downloads#${principalId}`,
  /** All listeners of a principal: sockets, push subscriptions and event sources. One query finds them. */
  listeners: (principalId: string) => `push#${principalId}`,
} as const;

/** Partitions of the sending table. */
export const sendingPartitions = {
  submissions: (submissionId: string) => `submission#${submissionId}`,
  outbox: 'outbox',
  heldOutbox: 'outbox-held',
  retention: 'retention',
  sentMailOfAddress: (address: string) => `sent-mail-address#${address}`,
  sentMailOfMessageId: (messageId: string) => `sent-mail-message-id#${messageId}`,
  provider: 'provider',
  suppression: 'suppression',
  /** Positions in the list of suppressed addresses. */
  suppressionList: 'suppressions',
  feedback: (type: string) => `feedback#${type}`,
  feedbackOfIdentity: (identityId: string) => `feedback-identity#${identityId}`,
  feedbackOfRecipient: (recipient: string) => `feedback-recipient#${recipient}`,
  received: (shards: string) => `received#${shards}`,
  receivedBy: (address: string) => `received-by#${address}`,
  receivedWithMessageId: (messageId: string) => `received-message-id#${messageId}`,
} as const;
