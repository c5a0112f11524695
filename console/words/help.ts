import { maxGroupLevels } from '../../contract/admin/aliases.ts';
import { chartWords } from './pages/monitoring.ts';

/** The purpose of each page, by its path, in paragraphs. The methods behind a page are explained by the contract. */
export const helpWords: { readonly [path: string]: readonly string[] } = {
  '/': [
    'The first line says whether mail flows, and what is stuck or failed. Below it is what is left to do, each with the page where it is done.',
    'Mail in is what SES received for your addresses, each message once. Mail out is what SES accepted from the AWS account in this region.',
    `${chartWords.limits('bounce_rate')} ${chartWords.limits('complaint_rate')}`,
    'In the SES sandbox, mail is delivered only to verified addresses. Request production access under Change requests.',
  ],
  '/users': [
    'A user is a person who signs in. What a person reads and sends belongs to accounts; a user may be a member of several.',
    'A deactivated user can’t sign in, and every session, token and open connection ends. Their mail stays.',
  ],
  '/users/invite': [
    'The person gets a mail with a temporary password, and chooses a password of their own at the first sign-in.',
    'Without an account the person can sign in, but has no mail.',
  ],
  '/users/import': [
    'The file has the columns of the command people apply. It makes people, their mailboxes and addresses, shared mailboxes and their members.',
    'A file with a refused line is refused as a whole. Nobody is removed because they are not in the file.',
    'Nobody’s temporary password is shown here. People at a domain of the deployment without invitation_email get one on their own page.',
  ],
  '/users/:userId': [
    'Deactivating ends sessions, tokens and open connections, and holds back mail that waits to be sent. It can be undone.',
    'Deleting removes the sign-in for good. Accounts and their mail stay, and other members keep them.',
    'A change of admin rights counts from the next call on.',
  ],
  '/accounts': [
    'An account holds mail: folders, messages, addresses. A personal account belongs to one user; a shared one has several members.',
    'Mail reaches an account by its addresses. Each address is in a domain that receives mail here.',
  ],
  '/accounts/create': ['The account gets its first address, and the user becomes its first member, who may read, write and manage it.'],
  '/accounts/:accountId': [
    'Read lets a member read. Read and write lets a member also change and send. Manage lets a member also share the account.',
    'A limit of storage that is reached defers new mail: senders try again for some days, then it is returned to them.',
    'Forwarding gives the mail of the account to other addresses. Junk, and mail with codes and passwords, always stays here.',
    'Removing an account removes its mail and addresses. It begins at once and goes on in the background.',
  ],
  '/domains': ['A domain is what addresses end with. It sends when SES has verified it by DNS records, and receives when its MX record points here.'],
  '/domains/add': [
    'SES makes keys for DKIM signatures. The domain’s DNS records publish them, so that other servers can check that mail is yours.',
    'A domain whose identity exists in SES already can be taken over unchanged.',
  ],
  '/domains/:domainId': [
    'Required records make mail work. Recommended ones make other servers trust it: DMARC says what to do with mail that only claims to be ' +
      'yours, SPF which servers may send for the domain.',
    'With a hosted zone in this AWS account, the records can be written from here. Values that other services need stay.',
    'SES checks DNS by itself for three days. After that, request another check.',
    'A catch-all takes the mail for all addresses of the domain that do not exist. Addresses that exist come first, also inactive ones.',
  ],
  '/sender-addresses': [
    'A single address of a domain that is not yours here may send after its owner has opened the link in a mail from AWS.',
    'Whole domains are verified under Domains; their addresses need nothing here.',
  ],
  '/activity': [
    'What came in and went out in the last 90 days, newest first. An address shows what it is first, and then its messages.',
    'Search for an address, a domain such as @example.com, a Message-ID from the header of a mail, with or without brackets, or the id of a message.',
    'Mail that AWS refuses while it is handed over, because nobody has the address or it is above 40 MB, is on no record. The search for the address says why.',
  ],
  '/suppression': [
    'Mail is not sent to a recipient whose address does not exist (until an admin clears it), who bounced repeatedly (until the time shown), ' +
      'or who complained (for that class of mail, until an admin clears it).',
    'Sending to such recipients anyway harms the deliverability of all your mail. Clear one when the cause is gone.',
    'Clearing lowers the level and keeps the counters.',
  ],
  '/feedback': [
    'A bounce is a message that the recipient’s server returned. A complaint is a recipient who marked a message as spam.',
    'Each is counted for the recipient, and may lead to suppression.',
  ],
  '/monitoring': [
    'Figures come from CloudWatch, which has them some minutes late. What failed or waited in the chosen time has a chart.',
    'The newest errors come from the logs of all Lambdas.',
    'Select an error to see what the log says around it, by the request’s id where it has one.',
  ],
  '/queues': [
    'A queue holds work until a Lambda does it, usually for less than a second. What fails is tried five times; then it could not be processed, and is kept for 14 days.',
    'Find the cause in the last error, mend it, and try it now: nothing is done twice. Mail whose sender should know can be given back.',
    'Counts are those of SQS, and may be some seconds old. What somebody looks at just now counts too.',
  ],
  '/queues/dead-letters': [
    'Try now puts a message back into its queue. Give back tells the sender that it was not delivered. Drop removes it, and tells nobody.',
    'The error is the last one in the log of the Lambda. Without one, the Lambda timed out or ran out of memory.',
    'The command line has the same: monitoring ListDeadLetters, RetryDeadLetters, ReturnDeadLetters and DropDeadLetters.',
  ],
  '/change-requests': ['A request goes to AWS Service Quotas, which decides within minutes to days. It is looked at every few minutes until it has ended.'],
  '/change-requests/create': [
    'AWS reads what you write: what you send, to whom, how people sign up, and how you handle bounces and complaints.',
    'While a request of the same kind is open, that one is shown instead of a second one.',
  ],
  '/change-requests/:requestId': [
    'When AWS wants to know more, the request asks for information, and is submitted again with what you provide.',
    'The timeline has everything that happened. It never holds a contact address.',
  ],
  '/support': [
    'A case gives support access for a limited time: to logs and metrics (diagnosis), or to configuration. Nobody gets access to mail.',
    'Access needs an open case, the tier among the allowed ones, and a time before its end. Sessions end with access.',
  ],
  '/support/open': ['Without a tier, the case gives no access. It can be given and taken away later.'],
  '/support/:caseId': [
    'Access can be extended to at most seven days from now, or ended at once by closing the case.',
    'Give the external id to support: the role can be assumed only with it. CloudTrail shows who used it, some minutes later.',
  ],
  '/audit': [
    'Each call that changed something, or tried to, with who made it and the values before and after. Secrets and message content are never in it.',
    'The filters are in the address of the page, and so is the selected entry: pass it on to show it to another admin.',
  ],
  '/aliases': ['An alias is an address of an account. Mail to it reaches the account, and its members may send from it where the alias allows it.'],
  '/groups': ['A group is an address whose mail goes to its members: accounts, other groups, and addresses outside. Each gets a message once.'],
  '/groups/create': ['The address is that of no account and no person. Members are added on the page of the group, which opens next.'],
  '/groups/:groupId': [
    'A member is an account, a group, or an address outside. An account stays one when its address is moved. Who gets the mail in the end includes the members of groups in it.',
    `Groups are members of groups over at most ${maxGroupLevels} levels. Nothing that a sender gets names a member.`,
    'Automatic answers, such as notes of absence, are not given to a group.',
  ],
  '/forwarding': [
    'An account gives its mail to at most five other addresses. Its owner sets that in the web mail, and an admin on the page of the account.',
    'An address outside gets mail when its owner has opened the link that was mailed to it. The link holds for seven days; storing the forwarding again mails another one.',
  ],
  '/activity/received/:receivedId': [
    'What became of one message from elsewhere, for each of its recipients, with the reason and what to do.',
    'A mailbox that is full takes the message when there is room again: raise the limit on the page of the account.',
  ],
  '/activity/:submissionId': [
    'What became of one message, recipient by recipient: accepted, sent by SES, delivered, delayed, bounced or withheld.',
    'Events arrive from SES within seconds, bounces also hours later. All of it is kept for 90 days.',
  ],
  '/domains/:domainId/set-up': ['The steps from a new domain to the first mail: records, verification, test mail. You can leave and continue later.'],
  '/settings': ['The display settings are kept in this browser. What a deployment does is set when it is deployed, and can’t be changed here.'],
  '/connect': ['A mail program that speaks JMAP needs the server’s address. It signs in on the web, so that no password is stored in it.'],
};
