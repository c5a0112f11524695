import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CdkDeployment } from '../../sandbox/deployment/cdk-deployment.ts';

type Resource = { Type: string; Properties?: Record<string, unknown>; DependsOn?: string[] };

export type Resources = Record<string, Resource>;

/** A resource that fails, because its Lambda does not exist. */
export const refused = (DependsOn: string[]): Resource => ({
  Type: 'Custom::Refused',
  DependsOn,
  Properties: { ServiceToken: { 'Fn::Sub': 'arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:there-is-no-such-function' } },
});

/** Changes the resources of a synthesized stack. */
export const changeTemplate = async ({ state: { assembly } }: CdkDeployment, stack: string, change: (resources: Resources) => void): Promise<void> => {
  const [templateFile, assetsFile, manifestFile] = [`${stack}.template.json`, `${stack}.assets.json`, 'manifest.json'].map((file) => join(assembly, file));
  const template = JSON.parse(await readFile(templateFile!, 'utf8')) as { Resources: Resources };
  change(template.Resources);
  const text = JSON.stringify(template, null, 1);
  await writeFile(templateFile!, text);
  // The template is an asset, whose key is the hash of its content.
  const assets = JSON.parse(await readFile(assetsFile!, 'utf8')) as { files: Record<string, { source: { path: string } }> };
  const [hash] = Object.entries(assets.files).find(([, { source }]) => source.path === `${stack}.template.json`)!;
  for (const file of [assetsFile!, manifestFile!]) {
    const content = await readFile(file, 'utf8');
    await writeFile(file, content.replaceAll(hash, createHash('sha256').update(text).digest('hex')));
  }
};
