import { randomBytes } from 'node:crypto';
import { DeleteEmailIdentityCommand, GetEmailIdentityCommand, paginateListEmailIdentities, type SESv2Client, type Tag } from '@aws-sdk/client-sesv2';
import { nameOf } from '../../../../contract/values/thrown.ts';
import type { StateFile } from '../../../state/state-file.ts';
import { nameAndAncestors, type HostedZones } from '../../resolver/hosted-zones.ts';
import { domainOf } from '../message/mail-addresses.ts';
import { SesError, notFound } from '../message/ses-error.ts';
import { addressStatus, dkimStatus, mailFromStatus, type CheckStatus } from './identity-verification.ts';

/** A domain or an address from which mail may be sent; a domain may also receive mail. */
export type Identity = {
  readonly name: string;
  readonly createdAt: string;
  dkimSigning: boolean;
  feedbackForwarding: boolean;
  mailFromDomain?: string;
  behaviorOnMxFailure: string;
  configurationSet?: string;
  tags: Tag[];
  /** For an address: the token in the verification mail's link, and the time at which the link was opened. */
  linkToken?: string;
  verifiedAt?: string;
};

export type IdentityStatus = { readonly verification: CheckStatus; readonly dkim: CheckStatus; readonly mailFrom?: CheckStatus };

export type Identities = {
  /** @throws SesError AlreadyExistsException */
  create(name: string, settings?: Partial<Identity>): Promise<Identity>;
  find(name: string): Promise<Identity | undefined>;
  /** @throws SesError NotFoundException */
  get(name: string): Promise<Identity>;
  /** Lists identities by name, in ascending order. */
  list(): Promise<Identity[]>;
  /** Applies and stores a change. @throws SesError NotFoundException */
  change(name: string, apply: (identity: Identity) => void): Promise<void>;
  remove(name: string): Promise<void>;
  /** Checks the current DNS records, without a cache. */
  status(identity: Identity): Promise<IdentityStatus>;
  /**
   * The verified identity for mail from this address: the address itself, else its domain or the nearest parent domain
   * that is an identity.
   */
  findSender(address: string): Promise<Identity | undefined>;
  /** Whether SES may receive mail for this domain. */
  isVerifiedDomain(domain: string): Promise<boolean>;
  /**
   * Verifies the address whose link has this token. @returns the address; undefined for an unknown or expired token.
   */
  confirm(token: string): Promise<string | undefined>;
};

export const isDomain = (identity: Pick<Identity, 'name'>): boolean => !identity.name.includes('@');

/** The key of an identity: domains are case-insensitive, local parts are not. */
export const identityName = (name: string): string => (name.includes('@') ? `${name.slice(0, name.lastIndexOf('@'))}@${domainOf(name)}` : name.toLowerCase());

const newIdentity = (name: string, settings: Partial<Identity> = {}): Identity => ({
  name,
  createdAt: new Date().toISOString(),
  dkimSigning: !name.includes('@'),
  feedbackForwarding: true,
  behaviorOnMxFailure: 'USE_DEFAULT_VALUE',
  tags: [],
  ...settings,
});

/** Identities that a template created. They exist only in the emulator until one of their settings is changed here. */
const templateIdentities = (emulator: SESv2Client) => ({
  async find(name: string): Promise<Identity | undefined> {
    try {
      const response = await emulator.send(new GetEmailIdentityCommand({ EmailIdentity: name }));
      return newIdentity(name, {
        mailFromDomain: response.MailFromAttributes?.MailFromDomain || undefined,
        configurationSet: response.ConfigurationSetName || undefined,
        tags: response.Tags ?? [],
      });
    } catch (error) {
      if (nameOf(error) === 'NotFoundException') return undefined;
      throw error;
    }
  },
  async names(): Promise<string[]> {
    const names: string[] = [];
    for await (const page of paginateListEmailIdentities({ client: emulator }, {})) {
      names.push(...(page.EmailIdentities ?? []).flatMap((identity) => identity.IdentityName ?? []));
    }
    return names;
  },
});

type Stored = Record<string, Identity>;

const hasLinkToken = (token: string) => (identity: Identity) => identity.linkToken === token;

/** The identities that are stored in this file or that a template created in the emulator. */
export const openIdentities = (file: StateFile<Stored>, emulator: SESv2Client, zones: HostedZones, region: string): Identities => {
  const templates = templateIdentities(emulator);
  const find = async (name: string) => {
    const key = identityName(name);
    return Object.hasOwn(file.value, key) ? file.value[key] : templates.find(key);
  };

  const get = async (name: string) => {
    const identity = await find(name);
    if (!identity) throw notFound(`Email identity ${name} does not exist.`);
    return identity;
  };

  const status = async (identity: Identity): Promise<IdentityStatus> => {
    const mailFrom = identity.mailFromDomain === undefined ? {} : { mailFrom: await mailFromStatus(zones, identity.mailFromDomain, region) };
    if (!isDomain(identity)) {
      return { verification: addressStatus(identity.verifiedAt, identity.createdAt, new Date()), dkim: 'NOT_STARTED', ...mailFrom };
    }
    const dkim = await dkimStatus(zones, identity.name);
    return { verification: dkim, dkim, ...mailFrom };
  };

  const verified = async (identity: Identity | undefined) => identity !== undefined && (await status(identity)).verification === 'SUCCESS';

  /** The nearest parent domain that is an identity, which covers its subdomains. */
  const nearestDomain = async (domain: string) => {
    for (const candidate of nameAndAncestors(domain)) {
      const identity = candidate.includes('.') ? await find(candidate) : undefined;
      if (identity) return identity;
    }
    return undefined;
  };

  return {
    find,
    get,
    status,
    async create(name, settings) {
      if (await find(name)) throw new SesError('AlreadyExistsException', `Email identity ${name} already exist.`);
      const key = identityName(name);
      const identity = newIdentity(key, { ...settings, ...(key.includes('@') ? { linkToken: randomBytes(24).toString('base64url') } : {}) });
      file.value[key] = identity;
      await file.save();
      return identity;
    },
    async list() {
      const names = new Set([...Object.keys(file.value), ...(await templates.names())]);
      const identities = await Promise.all([...names].sort().map(find));
      return identities.filter((identity) => identity !== undefined);
    },
    async change(name, apply) {
      const identity = await get(name);
      apply(identity);
      file.value[identity.name] = identity;
      await file.save();
    },
    async remove(name) {
      delete file.value[identityName(name)];
      await file.save();
      await emulator.send(new DeleteEmailIdentityCommand({ EmailIdentity: identityName(name) }));
    },
    async findSender(address) {
      const own = await find(address);
      if (own && (await verified(own))) return own;
      const domain = await nearestDomain(domainOf(address));
      return (await verified(domain)) ? domain : undefined;
    },
    async isVerifiedDomain(domain) {
      return verified(await nearestDomain(domain));
    },
    async confirm(token) {
      const identity = Object.values(file.value).find(hasLinkToken(token));
      if (!identity || (await status(identity)).verification === 'FAILED') return undefined;
      identity.verifiedAt ??= new Date().toISOString();
      await file.save();
      return identity.name;
    },
  };
};
