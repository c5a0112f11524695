import { Fn, Token } from 'aws-cdk-lib';
import { ApiMapping, CfnApiMapping, DomainName, IpAddressType, SecurityPolicy, type IApi, type IStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, AaaaRecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct, type IDependable } from 'constructs';
import { hostName, type DeploymentContext } from '../deployment-context.ts';

/** Host names of the APIs and the sites, with the prefix label if there is one. */
export const hostNames = (context: Pick<DeploymentContext, 'domain' | 'prefix' | 'webmail' | 'webmailHost'>) => ({
  admin: hostName('api', context),
  console: hostName('console', context),
  jmap: hostName('jmap', context),
  webSocket: hostName('ws', context),
  ...(context.webmail && { webmail: hostName(context.webmailHost, context) }),
});

/**
 * `host:port` for the target of an SRV record, which has no scheme, no path and no IP address (RFC 2782).
 * @param fallbackHost the host name that is used for a URL without https or with an IP address.
 */
export const srvTarget = (url: string, fallbackHost: string): string => {
  if (Token.isUnresolved(url)) return `${Fn.select(2, Fn.split('/', url))}:443`;
  const { protocol, hostname, port } = new URL(url);
  return protocol === 'https:' && !/^\[|^[\d.]+$/.test(hostname) ? `${hostname}:${port || '443'}` : `${fallbackHost}:443`;
};

export type DomainNamesProps = {
  readonly hostedZoneId: string;
  readonly domain: string;
  /** The API behind each host name. */
  readonly apis: readonly { readonly hostName: string; readonly api: IApi; readonly stage: IStage; readonly paths?: readonly MappedPath[] }[];
};

/** A path of a host name that another API serves, with the paths below. The API may be a REST API. */
export type MappedPath = {
  readonly path: string;
  readonly apiId: string;
  readonly stage: string;
  /** What must exist before the path, if its stage's name alone does not say so. */
  readonly after?: IDependable;
};

/**
 * Custom domains: one certificate, validated by DNS in the hosted zone, and A and AAAA records for each host name.
 * The zone's id comes from the context; the deployment does not look it up.
 */
export class DomainNames extends Construct {
  constructor(scope: Construct, id: string, { hostedZoneId, domain, apis }: DomainNamesProps) {
    super(scope, id);
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName: domain });
    const [first, ...others] = apis.map(({ hostName }) => hostName);
    const certificate = new Certificate(this, 'Certificate', {
      domainName: first!,
      subjectAlternativeNames: others,
      validation: CertificateValidation.fromDns(zone),
    });
    for (const { hostName, api, stage, paths = [] } of apis) {
      const name = new DomainName(this, hostName, {
        domainName: hostName,
        certificate,
        securityPolicy: SecurityPolicy.TLS_1_2,
        ipAddressType: IpAddressType.DUAL_STACK,
      });
      new ApiMapping(this, `${hostName} mapping`, { api, domainName: name, stage });
      const target = RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(name.regionalDomainName, name.regionalHostedZoneId));
      new ARecord(this, `${hostName} A`, { zone, recordName: hostName, target });
      new AaaaRecord(this, `${hostName} AAAA`, { zone, recordName: hostName, target });
      for (const { path, apiId, stage, after } of paths) {
        const mapping = new CfnApiMapping(this, `${hostName}${path} mapping`, { apiId, stage, domainName: name.name, apiMappingKey: path.slice(1) });
        if (after) mapping.node.addDependency(after);
      }
    }
  }
}
