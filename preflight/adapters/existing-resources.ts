import { ApiGatewayV2Client, GetDomainNameCommand, NotFoundException } from '@aws-sdk/client-apigatewayv2';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient, DescribeUserPoolDomainCommand } from '@aws-sdk/client-cognito-identity-provider';
import { GetFunctionConcurrencyCommand, LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { GetHostedZoneCommand, NoSuchHostedZone, Route53Client } from '@aws-sdk/client-route-53';
import { DescribeActiveReceiptRuleSetCommand, SESClient } from '@aws-sdk/client-ses';
import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { clientTimeouts } from '../../core/aws/client/client-timeouts.ts';
import { valueOnError } from '../../core/aws/client/provider-errors.ts';
import { normalizeHost } from '../../core/runtime/public-dns.ts';
import { findStack } from '../../lib/stacks/find-stack.ts';
import type { ExistingResources } from '../ports.ts';

const newClients = () => ({
  cloudFormation: new CloudFormationClient(clientTimeouts),
  apis: new ApiGatewayV2Client(clientTimeouts),
  cognito: new CognitoIdentityProviderClient(clientTimeouts),
  lambda: new LambdaClient(clientTimeouts),
  ses: new SESClient(clientTimeouts),
  sending: new SESv2Client(clientTimeouts),
  route53: new Route53Client(clientTimeouts),
});

/** {@link ExistingResources} of this AWS account and region. */
export const awsExistingResources = ({ cloudFormation, apis, cognito, lambda, ses, sending, route53 } = newClients()): ExistingResources => ({
  stackStatus: async (name) => (await findStack(cloudFormation, name))?.StackStatus,
  async hasApiDomain(name) {
    return await valueOnError(NotFoundException, undefined, apis.send(new GetDomainNameCommand({ DomainName: name }))) !== undefined;
  },
  async poolOfDomainPrefix(prefix) {
    // A domain that does not exist has an empty description.
    return (await cognito.send(new DescribeUserPoolDomainCommand({ Domain: prefix }))).DomainDescription?.UserPoolId;
  },
  async activeRuleSet() {
    const { Metadata: { Name: name } = {}, Rules: rules = [] } = await ses.send(new DescribeActiveReceiptRuleSetCommand({}));
    return name === undefined ? undefined : { name, rules: rules.map((rule) => rule.Name ?? '') };
  },
  async reservedConcurrency(names) {
    const found = await Promise.all(names.map((FunctionName) =>
      valueOnError(ResourceNotFoundException, undefined, lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })))));
    return found.reduce((sum, each) => sum + (each?.ReservedConcurrentExecutions ?? 0), 0);
  },
  async pricePlan() {
    const { CurrentPlan: current, NextPlan: next } = (await sending.send(new GetAccountCommand({}))).PricingAttributes ?? {};
    return current && { current, ...(next && { next }) };
  },
  async hostedZone(id) {
    const found = await valueOnError(NoSuchHostedZone, undefined, route53.send(new GetHostedZoneCommand({ Id: id })));
    return found && {
      name: normalizeHost(found.HostedZone?.Name ?? ''),
      isPrivate: found.HostedZone?.Config?.PrivateZone ?? false,
      nameServers: (found.DelegationSet?.NameServers ?? []).map(normalizeHost),
    };
  },
});
