import { randomUUID } from 'node:crypto';
import { DeleteEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { createHostedZone, type HostedZone } from '../hosted-zone.ts';
import { eventually } from '../http-requests.ts';
import { admin, aws } from './deployment-clients.ts';
import type { ProblemProvocation } from './problem-provocation.ts';

/** A new domain that receives mail, and its hosted zone, which has no records yet. */
const domainInZone = () => {
  const name = `problem-${randomUUID().slice(0, 8)}.example`;
  let zone: HostedZone;
  let id: string;
  const verify = async () => {
    await admin.domains.ApplyDomainRecords({ id });
    await eventually(async () => expect((await admin.domains.GetDomain({ id })).domain.verification_status).toBe('SUCCESS'));
  };
  return {
    name,
    verify,
    add: async () => {
      zone = await createHostedZone(aws.route53, name, []);
      ({
        domain: { id },
      } = await admin.domains.AddDomain({ domain: name, receive_enabled: true }));
    },
    status: async () => (await admin.domains.GetDomain({ id })).domain.verification_status,
    remove: async () => {
      await admin.domains.RemoveDomain({ id });
      await zone.remove();
    },
    removeOnly: () => admin.domains.RemoveDomain({ id }),
    removeZone: () => zone.remove(),
  };
};

const withoutRecords = (runs?: 2): ProblemProvocation => {
  const domain = domainInZone();
  return {
    ...(runs && { runs }),
    begin: async () => {
      await domain.add();
      return domain.name;
    },
    end: domain.verify,
    cleanUp: domain.remove,
  };
};

const lost = domainInZone();

export const domainProvocations = {
  DOMAIN_NOT_VERIFIED: withoutRecords(),
  MX_MISSING: withoutRecords(2),
  DOMAIN_VERIFICATION_FAILED: {
    begin: async () => {
      await lost.add();
      await lost.verify();
      await aws.ses.send(new DeleteEmailIdentityCommand({ EmailIdentity: lost.name }));
      expect(await lost.status()).not.toBe('SUCCESS');
      return lost.name;
    },
    end: lost.removeOnly,
    cleanUp: lost.removeZone,
  },
} satisfies Record<string, ProblemProvocation>;
