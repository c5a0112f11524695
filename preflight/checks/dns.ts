import { inboundHost } from '../../contract/deployment/sending.ts';
import { known, type Facts } from '../facts.ts';
import { line, lineFor, type Line } from '../line.ts';

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && [...some].sort().join() === [...others].sort().join();

const isAtOrBelow = (name: string, ancestor: string): boolean => name === ancestor || name.endsWith(`.${ancestor}`);

const checkZone = ({ settings, chosenZone, ownZone, nameServers }: Facts): Line => {
  const { hostedZoneId, domain } = settings;
  const subject = 'hosted zone';
  const servers = known(nameServers) ?? [];
  if (hostedZoneId === undefined) {
    return lineFor(subject, ownZone, 'allow route53:ListHostedZones', (zone) => zone === undefined
      ? line('ok', subject, `no zone of this account holds ${domain}: the APIs get names of API Gateway`, 'nothing; DNS records are made by hand')
      : line('attention', subject, `${zone.name} (${zone.id}) holds ${domain}, and the setting hostedZoneId is not given: no custom domains`,
        `pass -c hostedZoneId=${zone.id} for names such as jmap.${domain}`));
  }
  return lineFor(subject, chosenZone, 'allow route53:GetHostedZone', (zone) => {
    if (zone === undefined) return line('fail', subject, `this account has no hosted zone ${hostedZoneId}`, 'pass the id that aws route53 list-hosted-zones shows');
    if (zone.isPrivate) return line('fail', subject, `${zone.name} (${hostedZoneId}) is private: no certificate would be issued`, 'pass the id of the public zone');
    if (!isAtOrBelow(domain, zone.name)) return line('fail', subject, `the zone is ${zone.name}, which does not hold ${domain}`, `pass the id of ${domain}'s zone`);
    if ('unknown' in nameServers) return line('unknown', subject, `${zone.name}; who answers for it can't be asked: ${nameServers.unknown}`, 'look at its NS records');
    return isSameSet(servers, zone.nameServers)
      ? line('ok', subject, `${zone.name} (${hostedZoneId}) answers for ${domain} in public DNS`)
      : line('fail', subject, `${servers.join(', ') || 'nobody'} answers for ${domain}, not this zone: the certificate would wait until the deployment fails`,
        `set the NS records at the registrar to ${zone.nameServers.join(', ')}, or leave out hostedZoneId`);
  });
};

const checkNameServers = ({ settings, nameServers }: Facts): Line => lineFor('name servers today', nameServers, 'look at the NS records', (servers) =>
  servers.length === 0
    ? line('attention', 'name servers today', `nobody answers for ${settings.domain}`, 'register the domain, or check its spelling')
    : line('ok', 'name servers today', servers.join(', '), 'nothing; the deployment does not change who answers'));

const checkMailExchangers = ({ settings, mailExchangers, region }: Facts): Line =>
  lineFor('who gets mail today', mailExchangers, 'look at the MX records', (exchangers) => {
    const ours = `10 ${inboundHost(region)}`;
    const subject = 'who gets mail today';
    if (exchangers.length === 0) {
      return line('ok', subject, `nobody: ${settings.domain} has no MX record`, `after the deployment, create MX ${ours} (ApplyDomainRecords does, in a zone of this account)`);
    }
    if (exchangers.every((exchanger) => exchanger.endsWith(inboundHost(region)))) return line('ok', subject, `SES in ${region}`);
    return line('attention', subject, `${exchangers.join(', ')}, and the deployment changes nothing of it`,
      `first create all users and accounts and move the mail (docs/moving-in.md); a day before the change, lower the MX record's TTL; then replace it by ${ours}.`
      + ' From then on mail comes here, from servers that remember the old record after its TTL');
  });

const checkAuthorities = ({ settings, certificateAuthorities }: Facts): Line[] => settings.hostedZoneId === undefined ? [] : [
  lineFor('certificate', certificateAuthorities, 'look at the CAA records', (authorities) => {
    const amazon = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com'];
    return authorities === undefined || authorities.some((name) => amazon.includes(name))
      ? line('ok', 'certificate', authorities === undefined ? 'no CAA record: Amazon may issue it' : 'the CAA records allow Amazon')
      : line('fail', 'certificate', `the CAA records of ${settings.domain} allow ${authorities.join(', ') || 'nobody'}, not Amazon`, 'add the record CAA 0 issue "amazon.com"');
  }),
];

/** Checks which servers have the domain's DNS and mail today, and lists the changes. */
export const checkDns = (facts: Facts): Line[] =>
  [checkNameServers(facts), checkZone(facts), checkMailExchangers(facts), ...checkAuthorities(facts)];
