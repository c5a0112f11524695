import { inboundHost } from '../../contract/deployment/sending.ts';
import { attention, check, checkOf, fail, ofAnswer, ok, unknown, withSetting, type Check } from '../check.ts';
import { known } from '../facts.ts';

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && [...some].sort().join() === [...others].sort().join();

const isAtOrBelow = (name: string, ancestor: string): boolean => name === ancestor || name.endsWith(`.${ancestor}`);

/** The certificate authorities of Amazon in CAA records. */
const amazon = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com'];

/** Checks which servers have the domain's DNS and mail today, and lists the changes. */
export const dnsChecks: readonly Check[] = [
  checkOf('name servers today', 'nameServers', 'look at the NS records', (servers, { settings }) =>
    servers.length === 0
      ? attention(`nobody answers for ${settings.domain}`, 'register the domain, or check its spelling')
      : ok(servers.join(', '), 'nothing; the deployment does not change who answers'),
  ),

  check('hosted zone', ({ settings: { hostedZoneId, domain }, chosenZone, ownZone, nameServers }) => {
    if (hostedZoneId === undefined) {
      return ofAnswer(ownZone, 'allow route53:ListHostedZones', (zone) =>
        zone === undefined
          ? ok(`no zone of this account holds ${domain}: the APIs get names of API Gateway`, 'nothing; DNS records are made by hand')
          : attention(
              `${zone.name} (${zone.id}) holds ${domain}, and the setting hostedZoneId is not given: no custom domains`,
              `pass -c hostedZoneId=${zone.id} for names such as jmap.${domain}`,
            ),
      );
    }
    return ofAnswer(chosenZone, 'allow route53:GetHostedZone', (zone) => {
      if (zone === undefined) return fail(`this account has no hosted zone ${hostedZoneId}`, 'pass the id that aws route53 list-hosted-zones shows');
      if (zone.isPrivate) return fail(`${zone.name} (${hostedZoneId}) is private: no certificate would be issued`, 'pass the id of the public zone');
      if (!isAtOrBelow(domain, zone.name)) return fail(`the zone is ${zone.name}, which does not hold ${domain}`, `pass the id of ${domain}'s zone`);
      if ('unknown' in nameServers) return unknown(`${zone.name}; who answers for it can't be asked: ${nameServers.unknown}`, 'look at its NS records');
      const servers = known(nameServers) ?? [];
      return isSameSet(servers, zone.nameServers)
        ? ok(`${zone.name} (${hostedZoneId}) answers for ${domain} in public DNS`)
        : fail(
            `${servers.join(', ') || 'nobody'} answers for ${domain}, not this zone: the certificate would wait until the deployment fails`,
            `set the NS records at the registrar to ${zone.nameServers.join(', ')}, or leave out hostedZoneId`,
          );
    });
  }),

  checkOf('who gets mail today', 'mailExchangers', 'look at the MX records', (exchangers, { settings, region }) => {
    const ours = `10 ${inboundHost(region)}`;
    if (exchangers.length === 0) {
      return ok(`nobody: ${settings.domain} has no MX record`, `after the deployment, create MX ${ours} (ApplyDomainRecords does, in a zone of this account)`);
    }
    if (exchangers.every((exchanger) => exchanger.endsWith(inboundHost(region)))) return ok(`SES in ${region}`);
    return attention(
      `${exchangers.join(', ')}, and the deployment changes nothing of it`,
      `first create all users and accounts and move the mail (docs/moving-in.md); a day before the change, lower the MX record's TTL; then replace it by ${ours}.` +
        ' From then on mail comes here, from servers that remember the old record after its TTL',
    );
  }),

  withSetting(
    'hostedZoneId',
    checkOf('certificate', 'certificateAuthorities', 'look at the CAA records', (authorities, { settings }) => {
      if (authorities === undefined) return ok('no CAA record: Amazon may issue it');
      return authorities.some((name) => amazon.includes(name))
        ? ok('the CAA records allow Amazon')
        : fail(`the CAA records of ${settings.domain} allow ${authorities.join(', ') || 'nobody'}, not Amazon`, 'add the record CAA 0 issue "amazon.com"');
    }),
  ),
];
