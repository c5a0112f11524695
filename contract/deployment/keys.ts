/*
 * The partitions and the keys of all items in the three tables. Lambdas use the keys, and the stack makes the patterns of
 * grants from the partitions. They are in stored items, so that none can change. A partition that is a function is one of
 * a family.
 */

/** The primary key of an item. */
type ItemKey = { readonly pk: string; readonly sk: string };

const key = (pk: string, sk: string): ItemKey => ({ pk, sk });

/** The partition of the deployment's own secrets, in the directory table and in the mail table. */
export const secretPartition = 'secret';

export const secretKey = (name: string): ItemKey => key(secretPartition, name);

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
  /** The owner of each account whose removal is complete. */
  removedAccounts: 'removed-account',
  accountMembers: (accountId: string) => `account-member#${accountId}`,
  removedMembers: (accountId: string) => `removed-member#${accountId}`,
  accountAliases: (accountId: string) => `account-alias#${accountId}`,
  aliases: 'alias',
  groups: 'group',
  groupMembers: (groupId: string) => `group-member#${groupId}`,
  /** The groups that have an account or a group as a member. */
  groupsOfMember: (memberId: string) => `member-group#${memberId}`,
  /** The members of groups that are addresses outside. */
  outsideMembers: 'outside-member',
  /** Where accounts forward their mail. */
  forwardings: 'forwarding',
  addresses: 'address',
  domains: 'domain',
  domainNames: 'domain-name',
  /** The DNS records of a domain that the deployment wrote. */
  domainRecords: (domainId: string) => `domain-records#${domainId}`,
  /** The entries of the lists of users, accounts, aliases, groups and domains: by an order, `user#name`, and by words, `user#word`. */
  listEntries: (list: string) => `list#${list}`,
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

/** The month of an entry of the audit log: yyyy-mm. */
export const auditMonthOf = (timestamp: string): string => timestamp.slice(0, 'yyyy-mm'.length);

/** Keys of the directory table. */
export const directoryKeys = {
  user: (userId: string) => key(directoryPartitions.users, userId),
  userEmail: (email: string) => key(directoryPartitions.userEmails, email),
  userRemoval: (userId: string) => key(directoryPartitions.userRemovals, userId),
  identity: (sub: string) => key(directoryPartitions.identities, sub),
  admins: key(directoryPartitions.admins, 'summary'),
  /** Whether a user whose rights changed is an admin, and whether a removed user was one. No user id is `summary`. */
  admin: (userId: string) => key(directoryPartitions.admins, userId),
  membership: (principalId: string, accountId: string) => key(directoryPartitions.memberships(principalId), accountId),
  profile: (userId: string) => key(directoryPartitions.memberships(userId), 'profile'),
  account: (accountId: string) => key(directoryPartitions.accounts, accountId),
  accountRemoval: (accountId: string) => key(directoryPartitions.accountRemovals, accountId),
  removedAccount: (accountId: string) => key(directoryPartitions.removedAccounts, accountId),
  accountMember: (accountId: string, principalId: string) => key(directoryPartitions.accountMembers(accountId), principalId),
  removedMember: (accountId: string, principalId: string) => key(directoryPartitions.removedMembers(accountId), principalId),
  accountAlias: (accountId: string, aliasId: string) => key(directoryPartitions.accountAliases(accountId), aliasId),
  alias: (aliasId: string) => key(directoryPartitions.aliases, aliasId),
  group: (groupId: string) => key(directoryPartitions.groups, groupId),
  groupMember: (groupId: string, memberId: string) => key(directoryPartitions.groupMembers(groupId), memberId),
  groupOfMember: (memberId: string, groupId: string) => key(directoryPartitions.groupsOfMember(memberId), groupId),
  outsideMember: (address: string, groupId: string) => key(directoryPartitions.outsideMembers, `${address}#${groupId}`),
  forwarding: (accountId: string) => key(directoryPartitions.forwardings, accountId),
  address: (email: string) => key(directoryPartitions.addresses, email),
  domain: (domainId: string) => key(directoryPartitions.domains, domainId),
  domainName: (name: string) => key(directoryPartitions.domainNames, name),
  domainRecord: (domainId: string, { record_type: type, name, value }: { readonly [property in 'record_type' | 'name' | 'value']: string }) =>
    key(directoryPartitions.domainRecords(domainId), `${type} ${name} ${value}`),
  identityTask: (name: string) => key(directoryPartitions.identityTasks, name),
  emailIdentity: (email: string) => key(directoryPartitions.emailIdentities, email),
  emailIdentityPage: (position: string) => key(directoryPartitions.emailIdentityPages, position),
  clientRegistration: (fingerprint: string) => key(directoryPartitions.clientRegistrations, fingerprint),
  clientRegistrationCap: key(directoryPartitions.clientRegistrationCap, 'slots'),
  registeredClient: (clientId: string) => key(directoryPartitions.registeredClients, clientId),
  deployedClients: key(directoryPartitions.deployedClients, 'ids'),
  auditEntry: ({ timestamp, audit_id: id }: { readonly [property in 'timestamp' | 'audit_id']: string }) =>
    key(directoryPartitions.audit(auditMonthOf(timestamp)), `${timestamp}#${id}`),
  auditMonth: (month: string) => key(directoryPartitions.audit('months'), month),
  auditActor: (actorType: string, actorId: string) => key(directoryPartitions.audit(`actors#${actorType}`), actorId),
  changeRequest: (requestId: string) => key(directoryPartitions.changeRequests('record'), requestId),
  openChangeRequest: (type: string) => key(directoryPartitions.changeRequests('open'), type),
  /** A copy of a change request in a list: `type#<type>` or `status#<type>#<status>`. */
  listedChangeRequest: (list: string, createdAt: string, requestId: string) => key(directoryPartitions.changeRequests(list), `${createdAt}#${requestId}`),
  /** The use of an idempotency key. */
  changeRequestUse: (idempotencyKey: string) => key(directoryPartitions.changeRequests('key'), idempotencyKey),
  dueChangeRequest: (dueAt: string, requestId: string) => key(directoryPartitions.changeRequests('due'), `${dueAt}#${requestId}`),
  changeRequestEvent: (requestId: string, number: number) => key(directoryPartitions.changeRequests(`events#${requestId}`), String(number).padStart(6, '0')),
  problem: (problem: string) => key(directoryPartitions.problems, problem),
  suspectedProblem: (problem: string) => key(directoryPartitions.suspectedProblems, problem),
  problemChange: (at: string, problem: string) => key(directoryPartitions.problemChanges, `${at} ${problem}`),
  problemSubscriber: (userId: string) => key(directoryPartitions.problemSubscribers, userId),
  watchRun: key(directoryPartitions.watch, 'run'),
  setup: key(directoryPartitions.setup, 'progress'),
  supportCase: (caseId: string) => key(directoryPartitions.supportCases, caseId),
  supportRevision: key(directoryPartitions.supportAccess, 'revision'),
  supportTierCase: (tier: string, caseId: string) => key(directoryPartitions.supportTiers(tier), caseId),
  supportAssumption: (caseId: string, { event_time: time, event_id: id }: { readonly [property in 'event_time' | 'event_id']: string }) =>
    key(directoryPartitions.supportAssumptions(caseId), `${time}#${id}`),
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
  /** The groups whose members outside a received message was sent to. */
  groupMail: (messageId: string) => `group-mail#${messageId}`,
  webSocketConnections: (connectionId: string) => `connection#${connectionId}`,
  /** The WebSocket frames of a principal in each second. */
  webSocketFrames: (principalId: string) => `frames#${principalId}`,
  /** The downloads of a principal that run now. */
  downloads: (principalId: string) => `downloads#${principalId}`,
  /** All listeners of a principal: sockets, push subscriptions and event sources. One query finds them. */
  listeners: (principalId: string) => `push#${principalId}`,
} as const;

/** Keys of the mail table. A record of a plain type, such as a Mailbox, has its id as the sort key. */
export const mailKeys = {
  record: (accountId: string, partition: string, id: string) => key(partitionOf(accountId, partition), id),
  /** The head sorts after every log item, so that a query for the newest log items also returns it. */
  head: (accountId: string) => key(partitionOf(accountId, accountPartitions.log), 'HEAD'),
  log: (accountId: string, sequence: number) => key(partitionOf(accountId, accountPartitions.log), String(sequence).padStart(12, '0')),
  /** The small, mutable part of an Email. */
  emailRow: (accountId: string, emailId: string) => key(partitionOf(accountId, accountPartitions.row), emailId),
  /** The record of an Email, or the tombstone of a destroyed one. */
  email: (accountId: string, emailId: string) => key(partitionOf(accountId, accountPartitions.email), emailId),
  /** The count of a Thread's Emails. References, which are digests, are in the same partition and longer. */
  thread: (accountId: string, threadId: string) => key(partitionOf(accountId, accountPartitions.reference), threadId),
  reference: (accountId: string, digest: string) => key(partitionOf(accountId, accountPartitions.reference), digest),
  blobReference: (accountId: string, blobKey: string, emailId: string) => key(partitionOf(accountId, accountPartitions.blob), `${blobKey}#${emailId}`),
  destruction: (accountId: string, name: string) => key(partitionOf(accountId, accountPartitions.destroyed), name),
  respondedSender: (accountId: string, id: string) => key(partitionOf(accountId, accountPartitions.respondedSenders), id),
  /** @param day yyyy-mm-dd in UTC. */
  uploads: (accountId: string, day: string) => key(partitionOf(accountId, accountPartitions.uploads), day),
  destroyedMailDue: (dueAt: string, accountId: string) => key(mailPartitions.destroyedMailDue, `${dueAt}#${accountId}`),
  unparsedMessage: (accountId: string, blobId: string) => key(mailPartitions.unparsedMessages, `${accountId}/${blobId}`),
  groupMail: (messageId: string, groupId: string) => key(mailPartitions.groupMail(messageId), groupId),
  bounce: (messageId: string, recipientDigest: string) => key(mailPartitions.bounces(messageId), recipientDigest),
  webSocketConnection: (connectionId: string) => key(mailPartitions.webSocketConnections(connectionId), 'connection'),
  webSocketFrames: (principalId: string, window: number, instance: string) => key(mailPartitions.webSocketFrames(principalId), `${window}#${instance}`),
  downloads: (principalId: string) => key(mailPartitions.downloads(principalId), 'slots'),
  listener: (principalId: string, name: string) => key(mailPartitions.listeners(principalId), name),
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

/** The prefix of the sort keys of a submission's parts. */
export const submissionPartPrefix = 'part#';

/** Keys of the sending table. Lists sort by time. */
export const sendingKeys = {
  submission: (submissionId: string) => key(sendingPartitions.submissions(submissionId), 'submission'),
  submissionPart: (submissionId: string, part: number) =>
    key(sendingPartitions.submissions(submissionId), `${submissionPartPrefix}${String(part).padStart(3, '0')}`),
  outbox: (dueAt: string, submissionId: string, part: number) => key(sendingPartitions.outbox, `${dueAt}#${submissionId}#${part}`),
  retention: (expires: string, submissionId: string) => key(sendingPartitions.retention, `${expires}#${submissionId}`),
  /** @param partition `sentMailOfAddress` or `sentMailOfMessageId`. */
  sentMail: (partition: string, sendAt: string, submissionId: string) => key(partition, `${sendAt}#${submissionId}`),
  pause: key(sendingPartitions.provider, 'pause'),
  suppression: (comparableAddress: string) => key(sendingPartitions.suppression, comparableAddress),
  suppressionPosition: (createdAt: string, recipient: string) => key(sendingPartitions.suppressionList, `${createdAt}#${recipient}`),
  /** @param partition one of the three lists of feedback. */
  feedback: (partition: string, timestamp: string, feedbackId: string) => key(partition, `${timestamp}#${feedbackId}`),
  received: (shards: string, position: string) => key(sendingPartitions.received(shards), position),
} as const;
