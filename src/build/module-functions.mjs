// Converts the ES modules that esbuild writes to functions, because V8 stores the compiled functions of scripts only.
// A function takes `require` and returns the exports of its module, as values: a module whose exports change later, and
// modules that import each other, cannot be converted.
import { parse } from 'acorn'

/**
 * @typedef {import('acorn').Node & Record<string, any>} SyntaxNode
 *
 * @typedef {object} ModuleFunction
 * @property {(nameOf: (file: string) => string) => string} text returns the function, which requires other modules by
 *   the names that `nameOf` gives to their files
 * @property {string[]} imports the files that it imports when it runs, such as `./chunk-A.js`
 */

/**
 * Converts a module.
 *
 * @param {string} file for errors
 * @param {string} code an ES module without `export … from`
 * @returns {ModuleFunction}
 */
export function moduleFunction(file, code) {
  /** @type {SyntaxNode} */
  const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  /** @type {{ start: number, end: number, text: (nameOf: (file: string) => string) => string }[]} */
  const edits = []
  /** @type {{ name: string, local: string }[]} */
  const exported = []
  for (const node of body) {
    const { start, end } = node
    if (node.type === 'ImportDeclaration') {
      edits.push({ start, end, text: (nameOf) => importText(node, nameOf) })
    } else if (node.type === 'ExportNamedDeclaration' && node.specifiers.length > 0 && !node.source) {
      for (const { exported: name, local } of node.specifiers)
        exported.push({ name: name.name, local: local.name })
      edits.push({ start, end, text: () => '' })
    } else if (node.type === 'ExportDefaultDeclaration') {
      exported.push({ name: 'default', local: '__default' })
      edits.push({ start, end: node.declaration.start, text: () => 'var __default=' })
    } else if (node.type.startsWith('Export')) {
      throw new Error(
        `${file} has an export of an unknown form: ${code.slice(start, Math.min(end, start + 80))}`,
      )
    }
  }
  const locals = new Set(exported.map(({ local }) => local))
  visit(body, false, (node, isInFunction) => {
    const changed = isInFunction && changedNames(node).find((name) => locals.has(name))
    if (changed) throw new Error(`${file} exports ${changed}, which a function changes later.`)
    if (node.type !== 'ImportExpression') return
    const { start, end, source } = node
    edits.push({
      start,
      end,
      text: (nameOf) => `Promise.resolve().then(()=>${requireText(source.value, nameOf)})`,
    })
  })
  edits.sort((one, other) => one.start - other.start)
  const exports = exported.map(({ name, local }) => (name === local ? name : `${name}:${local}`))
  return {
    text(nameOf) {
      let [text, position] = ['', 0]
      for (const edit of edits) {
        text += code.slice(position, edit.start) + edit.text(nameOf)
        position = edit.end
      }
      return `function(require){${text}${code.slice(position)}\nreturn{${exports}}}`
    },
    imports: body.flatMap((/** @type {SyntaxNode} */ { type, source }) =>
      type === 'ImportDeclaration' ? [source.value] : [],
    ),
  }
}

/**
 * Throws Error if modules import each other.
 *
 * @param {Record<string, ModuleFunction>} modules by file
 */
export function rejectCycles(modules) {
  const finished = new Set()
  /** @param {string} file @param {string[]} importers */
  function follow(file, importers) {
    if (importers.includes(file))
      throw new Error(`Modules import each other: ${[...importers, file].join(' → ')}`)
    if (finished.has(file) || !modules[file]) return
    for (const imported of modules[file].imports) follow(imported, [...importers, file])
    finished.add(file)
  }
  for (const file of Object.keys(modules)) follow(file, [])
}

/**
 * @param {SyntaxNode} declaration
 * @param {(file: string) => string} nameOf
 */
function importText({ source, specifiers }, nameOf) {
  const required = requireText(source.value, nameOf)
  const names = []
  const declared = []
  for (const { type, imported, local } of specifiers) {
    const name = type === 'ImportDefaultSpecifier' ? 'default' : imported?.name
    // A module of Node is its own default export.
    if (name === undefined || (name === 'default' && !isOwn(source.value)))
      declared.push(`${local.name}=${required}`)
    else names.push(name === local.name ? name : `${name}:${local.name}`)
  }
  if (names.length > 0) declared.push(`{${names}}=${required}`)
  return declared.length > 0 ? `var ${declared};` : `${required};`
}

/**
 * @param {string} file
 * @param {(file: string) => string} nameOf
 */
function requireText(file, nameOf) {
  return `require(${JSON.stringify(isOwn(file) ? nameOf(file) : file)})`
}

/** @param {string} file */
function isOwn(file) {
  return file.startsWith('./')
}

/**
 * Calls back for each node, outer ones first, with whether it is in a function.
 *
 * @param {unknown} value a node, or a list of nodes
 * @param {boolean} isInFunction
 * @param {(node: SyntaxNode, isInFunction: boolean) => void} callback
 */
function visit(value, isInFunction, callback) {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, isInFunction, callback)
  } else if (isNode(value)) {
    callback(value, isInFunction)
    const isInside = isInFunction || /Function/.test(value.type)
    for (const child of Object.values(value)) visit(child, isInside, callback)
  }
}

/**
 * @param {unknown} value
 * @returns {value is SyntaxNode}
 */
function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/**
 * Returns the names of the variables that a node changes, without those that it declares.
 *
 * @param {SyntaxNode} node
 * @returns {string[]}
 */
function changedNames(node) {
  switch (node.type) {
    case 'AssignmentExpression':
    case 'ForInStatement':
    case 'ForOfStatement':
      return patternNames(node.left)
    case 'UpdateExpression':
      return patternNames(node.argument)
    default:
      return []
  }
}

/**
 * Returns the names of the variables in the target of an assignment.
 *
 * @param {SyntaxNode | null} pattern
 * @returns {string[]}
 */
function patternNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name]
    case 'AssignmentPattern':
      return patternNames(pattern.left)
    case 'RestElement':
      return patternNames(pattern.argument)
    case 'ArrayPattern':
      return pattern.elements.flatMap(patternNames)
    case 'ObjectPattern':
      return pattern.properties.flatMap((/** @type {SyntaxNode} */ property) =>
        patternNames(property.type === 'Property' ? property.value : property),
      )
    default:
      return []
  }
}
