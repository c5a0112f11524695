import { setup as contract } from '../../../contract/admin/setup.ts';
import { inboundHost } from '../../../contract/ses-hosts.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { PublicDns } from '../../../core/dns/public-dns.ts';
import type { SenderAddresses } from '../../../core/aws/ses/sender-addresses.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import type { Domains, StoredDomain } from '../../../core/directory/domains.ts';
import type { Page } from '../../../core/storage/page.ts';
import type { Setup } from '../../../core/directory/setup.ts';
import type { Users } from '../../../core/directory/users.ts';
import type { Source } from './facts.ts';
import { readinessOf } from './readiness.ts';

export type SetupSources = {
  readonly setup: Setup;
  readonly domains: Pick<Domains, 'list'>;
  readonly users: Pick<Users, 'list'>;
  readonly accounts: Pick<Accounts, 'list'>;
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly senderAddresses: Pick<SenderAddresses, 'listVerifiedIdentities'>;
  readonly dns: PublicDns;
  readonly mailDomain: string;
  readonly region: string;
  readonly log: Log;
};

/** Items read at a time, and domains whose MX is looked up. */
const batch = 1000;
const mostLookups = 25;

/** Every item of a list. */
const all = async <T>(list: (after: string | undefined, size: number) => Promise<Page<T>>): Promise<T[]> => {
  const found: T[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await list(after, batch);
    found.push(...items);
    after = next;
  } while (after !== undefined);
  return found;
};

/** What /setup does. */
export const setupMethods = (sources: SetupSources): AdminMethods<typeof contract> => {
  const { setup, domains, users, accounts, emailProvider, senderAddresses, dns, mailDomain, region, log } = sources;

  /** Undefined, and noted, where a source fails. */
  const learn = async <T>(failed: Set<Source>, source: Source, answer: Promise<T>): Promise<T | undefined> => {
    try {
      return await answer;
    } catch (error) {
      failed.add(source);
      log.warn('a part of the readiness is missing', { source, ...errorLogFields(error) });
      return undefined;
    }
  };

  const mxLeadsHere = async (failed: Set<Source>, found: readonly StoredDomain[]): Promise<string[]> => {
    const host = inboundHost(region);
    const receiving = found.filter((domain) => domain.receive_enabled).slice(0, mostLookups);
    const looked = await Promise.all(receiving.map(async ({ domain }) => {
      const values = await dns.lookup(domain, 'MX');
      if (!values) failed.add('public DNS');
      return (values ?? []).some((value) => value.split(' ').at(-1) === host) ? [domain] : [];
    }));
    return looked.flat();
  };

  return {
    GetReadiness: adminMethod(contract.methods.GetReadiness, {
      async run() {
        const failed = new Set<Source>();
        const finding = learn(failed, 'domains', all(domains.list));
        const [progress, found, mx, people, boxes, sending, verified] = await Promise.all([
          learn(failed, 'progress', setup.find()),
          finding,
          finding.then((known) => mxLeadsHere(failed, known ?? [])),
          learn(failed, 'users', all(users.list)),
          learn(failed, 'accounts', all(accounts.list)),
          learn(failed, 'sending provider', emailProvider.accountStatus()),
          learn(failed, 'identities', senderAddresses.listVerifiedIdentities()),
        ]);
        const readiness = readinessOf({
          domains: found, userCount: people?.filter((user) => !user.is_deleted).length, accountCount: boxes?.length, sending, verified, mxLeadsHere: mx, mailDomain,
          testMailSent: progress?.testMailSent === true, welcomeDismissed: progress?.welcomeDismissed === true, failedSources: [...failed].sort(),
        });
        return { readiness };
      },
    }),
    DismissWelcome: adminMethod(contract.methods.DismissWelcome, {
      async run({ dismissed }, { audit }) {
        const { welcomeDismissed: before } = await setup.find();
        audit.describe({ entity_id: 'setup', entity_name: 'welcome', changes: changesBetween({ welcome_dismissed: before }, { welcome_dismissed: dismissed }, ['welcome_dismissed']) });
        await setup.dismissWelcome(dismissed, audit.successWrites());
        return {};
      },
    }),
  };
};
